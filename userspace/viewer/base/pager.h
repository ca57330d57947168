/* SPDX-License-Identifier: GPL-2.0 */
/* pager.h - what is different when standard output is a terminal: colours, and a pager */
#ifndef VIEWER_BASE_PAGER_H
#define VIEWER_BASE_PAGER_H

#include <stdbool.h>

/*
 * Escape sequences; "" where there are to be no colours. ktrace --color says so to the programs of
 * commands, too, in KTRACE_COLOR, as --no-pager does by the pager "cat" in KTRACE_PAGER.
 */
const char *colour_bad(void);
const char *colour_title(void);
const char *colour_end(void);

/* Columns of the terminal that standard output is, or that the pager has; 0 = it is none. */
int terminal_columns(void);

/* Before something is written: from now on it goes through the pager, if there is to be one. */
void pager_begin(void);
/* There is to be none: what is shown comes as it happens. */
void pager_off(void);

#endif
