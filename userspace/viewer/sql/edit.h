/* SPDX-License-Identifier: GPL-2.0 */
/*
 * edit.h - lines that are typed on a terminal: edited, completed, kept
 *
 * libedit does the editing; ~/.editrc binds other keys.
 */
#ifndef VIEWER_SQL_EDIT_H
#define VIEWER_SQL_EDIT_H

#include "ask.h"

struct edit;

/* Return: NULL = lines cannot be edited: no terminal, or one that cannot do it. */
struct edit *edit_open(struct ask *a);
/*
 * Reads a line after a prompt, NULL = the last one was read. It is valid until the next call.
 * @before: the lines of the statement that were read already, "" = none.
 */
const char *edit_line(struct edit *e, const char *before, const char *prompt);
void edit_close(struct edit *e);

#endif
