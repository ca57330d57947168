/* SPDX-License-Identifier: GPL-2.0 */
/* diagnostics.h - explains why a trace may contain less than expected */
#ifndef KTRACED_DIAGNOSTICS_H
#define KTRACED_DIAGNOSTICS_H

#include "options.h"
#include "output/capture.h"

/** diagnostics_no_kernel - report the lack of a kernel channel; -1 to go on, or the exit status */
int diagnostics_no_kernel(const struct options *o, const struct ktrace_session_info *info);

/** diagnostics_begin - remember the names of -e; 0 or -ENOMEM */
int diagnostics_begin(struct capture *c, const char *events);

/** diagnostics_lost - suggest what helps against lost events */
void diagnostics_lost(const struct ktrace_lost *lost, const struct ktrace_session_info *info,
		      const struct options *o);

/**
 * diagnostics_end - report which events never occurred, after all has been read
 *
 * Return: true if one of them was probably meant to be a kernel event, which is a failure.
 */
bool diagnostics_end(const struct capture *c, const struct ktrace_session_info *info,
		     const struct options *o);

#endif
