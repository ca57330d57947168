/* SPDX-License-Identifier: GPL-2.0 */
/* diagnostics.h - says why there may be less in the trace than was hoped for */
#ifndef KTRACED_DIAGNOSTICS_H
#define KTRACED_DIAGNOSTICS_H

#include "options.h"
#include "output/capture.h"

/** diagnostics_no_kernel - the session has no kernel channel; -1 to go on, or the exit status */
int diagnostics_no_kernel(const struct options *o, const struct ktrace_session_info *info);

/** diagnostics_begin - remember what -e names; 0 or -ENOMEM */
int diagnostics_begin(struct capture *c, const char *events);

/** diagnostics_lost - say what helps against what was lost */
void diagnostics_lost(const struct ktrace_lost *lost, const struct ktrace_session_info *info,
		      const struct options *o);

/**
 * diagnostics_end - say which events never came, when all has been read
 *
 * Return: true if one of them was probably meant to be the kernel's, which is a failure.
 */
bool diagnostics_end(const struct capture *c, const struct ktrace_session_info *info,
		     const struct options *o);

#endif
