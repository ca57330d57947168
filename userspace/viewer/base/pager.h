/* SPDX-License-Identifier: GPL-2.0 */
/* pager.h - output to a terminal: colours and a pager */
#ifndef VIEWER_BASE_PAGER_H
#define VIEWER_BASE_PAGER_H

#include <stdbool.h>

/*
 * Return escape sequences, "" without colours. ktrace --color passes its choice on to the programs
 * of commands in KTRACE_COLOR; --no-pager does so with the pager "cat" in KTRACE_PAGER.
 */
const char *colour_bad(void);
const char *colour_title(void);
const char *colour_end(void);

/*
 * Returns true if KTRACE_COLOR asks for colours; without it, if the terminal has them and NO_COLOR
 * is not set. The first call, of this or of the three above, looks; no other thread may call then.
 */
bool terminal_has_colours(void);

/* Returns the width of the terminal on standard output or behind the pager; 0 = there is none. */
int terminal_columns(void);

/* Called before something is written: starts the pager if one is wanted. */
void pager_begin(void);
/* Never starts a pager: the command shows events as they happen. */
void pager_off(void);

#endif
