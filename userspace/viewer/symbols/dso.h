/* SPDX-License-Identifier: GPL-2.0 */
/* dso.h - looks up addresses in a program or library */
#ifndef VIEWER_SYMBOLS_DSO_H
#define VIEWER_SYMBOLS_DSO_H

#include "symbols.h"

struct dso;

/**
 * dso_open - find the file that was mapped in the traced process
 * @map:	names it: path, and build id if known
 * @where:	where to look; stays until dso_free()
 *
 * Errors are reported on standard error; its addresses then stay without names.
 *
 * Return: the module; NULL: no memory.
 */
struct dso *dso_open(const struct ktrace_map *map, const struct symbols_where *where);
void dso_free(struct dso *m);
/* True if it is the file that was mapped. */
bool dso_is_of(const struct dso *m, const struct ktrace_map *map);
/*
 * Fills in what is known of symbol->place, an offset in the file. The strings belong to the module;
 * only symbol->inlined is to be freed.
 */
void dso_look_up(struct dso *m, struct symbol *symbol, bool is_return);
/*
 * The same for a variable; its name and offset become those of the function. symbol->place is the
 * file offset that the variable would have if the mapping of the code at offset @code went on that
 * far.
 */
void dso_look_up_variable(struct dso *m, struct symbol *symbol, __u64 code);

#endif
