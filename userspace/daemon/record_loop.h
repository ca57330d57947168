/* SPDX-License-Identifier: GPL-2.0 */
/* record_loop.h - the event loop of a recording: drains, once-a-second work, signals, the end */
#ifndef KTRACED_RECORD_LOOP_H
#define KTRACED_RECORD_LOOP_H

#include <signal.h>

#include "recording.h"

/**
 * record_loop_run - serve the recording until it ends
 * @r:		open recording; r->end_reason is set to the reason of its end
 * @signals:	blocked signals, handled here
 *
 * Return: 0 or -errno.
 */
int record_loop_run(struct recording *r, const sigset_t *signals);

#endif
