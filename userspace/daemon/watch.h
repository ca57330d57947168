/* SPDX-License-Identifier: GPL-2.0 */
/* watch.h - while a recording runs: drains, second by second work, signals, the end */
#ifndef KTRACED_WATCH_H
#define KTRACED_WATCH_H

#include <signal.h>

#include "recording.h"

/**
 * watch_run - serve the recording until it is over
 * @r:		open recording; r->end_reason says why it ended
 * @signals:	blocked; ours to handle
 *
 * Return: 0 or -errno.
 */
int watch_run(struct recording *r, const sigset_t *signals);

#endif
