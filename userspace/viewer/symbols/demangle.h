/* SPDX-License-Identifier: GPL-2.0 */
/* demangle.h - names of functions as in their source */
#ifndef VIEWER_SYMBOLS_DEMANGLE_H
#define VIEWER_SYMBOLS_DEMANGLE_H

struct demangled;

/*
 * Returns @name as in the source, valid until demangle_free(); @name itself if it needs no change.
 */
const char *demangle(struct demangled **list, const char *name);
/* Frees the names of a list; a list begins as NULL. */
void demangle_free(struct demangled **list);

#endif
