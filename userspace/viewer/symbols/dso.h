/* SPDX-License-Identifier: GPL-2.0 */
/* dso.h - a program or library in which addresses are looked up */
#ifndef VIEWER_SYMBOLS_DSO_H
#define VIEWER_SYMBOLS_DSO_H

#include "symbols.h"

struct dso;

/**
 * dso_open - find the file that was mapped in the traced process
 * @map:	says which: path, and build id if known
 * @where:	where to look; stays until dso_free()
 *
 * What is wrong with it is said on standard error; then its addresses stay without names.
 *
 * Return: the module; NULL: no memory.
 */
struct dso *dso_open(const struct ktrace_map *map, const struct symbols_where *where);
void dso_free(struct dso *m);
/* Whether it is what was mapped. */
bool dso_is_of(const struct dso *m, const struct ktrace_map *map);
/*
 * Fills in what is known of the place in the file, which is symbol->place. What it points to is
 * the module's, but symbol->inlined, which is to be freed.
 */
void dso_look_up(struct dso *m, struct symbol *symbol, bool is_return);
/*
 * The same of a variable, whose name and offset become those of the function. symbol->place is
 * where it would be in the file if memory went on behind the code at @code as it is there.
 */
void dso_look_up_variable(struct dso *m, struct symbol *symbol, __u64 code);

#endif
