/* SPDX-License-Identifier: GPL-2.0 */
/*
 * quality.h - what to know of the files' clocks before believing times: the one place that says it
 *
 * Every command says it on standard error, by complain_files(); what makes a file that is looked
 * at later puts it there, too.
 */
#ifndef VIEWER_QUALITY_H
#define VIEWER_QUALITY_H

#include <ktrace/traceset.h>

/* Times are printed as dates that the wall clock had, which follow it when it is set. */
void quality_print_dates(void);
/* Calls @tell for each thing; @path is of the file, NULL = it is about all of them. */
void quality_tell(const struct ktrace_traceset *set,
		  void (*tell)(void *arg, const char *path, const char *text), void *arg);
/* Says it on standard error. */
void quality_complain(const struct ktrace_traceset *set);

#endif
