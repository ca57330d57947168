/* SPDX-License-Identifier: GPL-2.0 */
/* record_loop.h - while a recording runs: drains, second by second work, signals, the end */
#ifndef KTRACED_RECORD_LOOP_H
#define KTRACED_RECORD_LOOP_H

#include <signal.h>

#include "recording.h"

/**
 * record_loop_run - serve the recording until it is over
 * @r:		open recording; r->end_reason says why it ended
 * @signals:	blocked; ours to handle
 *
 * Return: 0 or -errno.
 */
int record_loop_run(struct recording *r, const sigset_t *signals);

#endif
