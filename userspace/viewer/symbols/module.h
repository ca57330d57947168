/* SPDX-License-Identifier: GPL-2.0 */
/* module.h - a program or library in which addresses are looked up */
#ifndef VIEWER_MODULE_H
#define VIEWER_MODULE_H

#include "symbols.h"

struct module;

/**
 * module_open - find the file that was mapped in the traced process
 * @map:	says which: path, and build id if known
 * @where:	where to look; stays until module_free()
 *
 * What is wrong with it is said on standard error; then its addresses stay without names.
 *
 * Return: the module; NULL: no memory.
 */
struct module *module_open(const struct ktrace_map *map, const struct symbols_where *where);
void module_free(struct module *m);
/* Whether it is what was mapped. */
bool module_is_of(const struct module *m, const struct ktrace_map *map);
/*
 * Fills in what is known of the place in the file, which is symbol->place. What it points to is
 * the module's, but symbol->inlined, which is to be freed.
 */
void module_look_up(struct module *m, struct symbol *symbol, bool is_return);
/*
 * The same of a variable, whose name and offset become those of the function. symbol->place is
 * where it would be in the file if memory went on behind the code at @code as it is there.
 */
void module_look_up_variable(struct module *m, struct symbol *symbol, __u64 code);

#endif
