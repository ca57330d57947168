/* SPDX-License-Identifier: GPL-2.0 */
/* demangle.h - names of functions as they are in their source */
#ifndef VIEWER_SYMBOLS_DEMANGLE_H
#define VIEWER_SYMBOLS_DEMANGLE_H

struct demangled;

/* @name as in the source, until demangle_free(); itself if it is no such name. */
const char *demangle(struct demangled **list, const char *name);
/* The list begins as NULL. */
void demangle_free(struct demangled **list);

#endif
