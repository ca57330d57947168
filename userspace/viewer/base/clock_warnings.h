/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock_warnings.h - warnings about the clocks of the files, worded in one place
 *
 * Every command prints them on standard error through complain_files(). Commands that write a file
 * for later viewing put them there, too.
 */
#ifndef VIEWER_BASE_CLOCK_WARNINGS_H
#define VIEWER_BASE_CLOCK_WARNINGS_H

#include <ktrace/traceset.h>

/* Tells that times are printed as wall clock dates, which follow the clock when it is set. */
void clock_warnings_print_dates(void);
/* Calls @tell for each warning; @path is the file, NULL = the warning is about all files. */
void clock_warnings_tell(const struct ktrace_traceset *set,
			 void (*tell)(void *arg, const char *path, const char *text), void *arg);
/* Prints the warnings on standard error. */
void clock_warnings_complain(const struct ktrace_traceset *set);

#endif
