/* SPDX-License-Identifier: GPL-2.0 */
/* hint.h - says why there may be less in the trace than was hoped for */
#ifndef KTRACED_HINT_H
#define KTRACED_HINT_H

#include "options.h"
#include "output/capture.h"

/** hint_no_kernel - the session has no kernel channel; -1 to go on, or the exit status */
int hint_no_kernel(const struct options *o, const struct ktrace_session_info *info);

/** hint_begin - remember what -e names; 0 or -ENOMEM */
int hint_begin(struct capture *c, const char *events);

/** hint_lost - say what helps against what was lost */
void hint_lost(const struct ktrace_lost *lost, const struct ktrace_session_info *info,
	       const struct options *o);

/**
 * hint_end - say which events never came, when all has been read
 *
 * Return: true if one of them was probably meant to be the kernel's, which is a failure.
 */
bool hint_end(const struct capture *c, const struct ktrace_session_info *info,
	      const struct options *o);

#endif
