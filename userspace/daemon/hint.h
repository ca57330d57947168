/* SPDX-License-Identifier: GPL-2.0 */
/* hint.h - says why there may be less in the trace than was hoped for */
#ifndef KTRACED_HINT_H
#define KTRACED_HINT_H

#include "capture.h"
#include "options.h"

/** hint_no_kernel - the session has no kernel channel; -1 to go on, or the exit status */
int hint_no_kernel(const struct options *o, const struct ktrace_session_info *info);

/** hint_begin - remember what -e names; 0 or -ENOMEM */
int hint_begin(struct capture *c, const char *events);

/** hint_end - all has been read, @is_pthread with --pthread: say what never came */
void hint_end(const struct capture *c, const struct ktrace_session_info *info, bool is_pthread);

#endif
