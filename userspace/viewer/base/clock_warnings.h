/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock_warnings.h - what to know of the files' clocks before believing times; said here only
 *
 * Every command says it on standard error, by complain_files(); what makes a file that is looked
 * at later puts it there, too.
 */
#ifndef VIEWER_BASE_CLOCK_WARNINGS_H
#define VIEWER_BASE_CLOCK_WARNINGS_H

#include <ktrace/traceset.h>

/* Times are printed as dates that the wall clock had, which follow it when it is set. */
void clock_warnings_print_dates(void);
/* Calls @tell for each thing; @path is of the file, NULL = it is about all of them. */
void clock_warnings_tell(const struct ktrace_traceset *set,
			 void (*tell)(void *arg, const char *path, const char *text), void *arg);
/* Says it on standard error. */
void clock_warnings_complain(const struct ktrace_traceset *set);

#endif
