/* SPDX-License-Identifier: GPL-2.0 */
/*
 * history.h - the file of lines that were typed
 *
 * It is $KTRACE_SQL_HISTORY, no file if that is empty, else sql_history in $XDG_STATE_HOME/ktrace,
 * else in ~/.local/state/ktrace. Only its owner may read it. Each line is appended at once, so
 * several shells share it.
 */
#ifndef VIEWER_SQL_HISTORY_H
#define VIEWER_SQL_HISTORY_H

/* Lines that a new shell knows; a file of twice as many is cut to these */
#define HISTORY_LINES 1000u

/*
 * Opens the file, and calls @take for its latest lines, oldest first. Return: a descriptor for
 * history_add(); -1 = there is none.
 */
int history_open(void (*take)(void *arg, const char *line), void *arg);
/* Appends a line, which has its end. Complains, and closes, if that fails. */
void history_add(int *fd, const char *line);

#endif
