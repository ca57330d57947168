/* SPDX-License-Identifier: GPL-2.0 */
/* progress.h - how far a long command has got, on a terminal */
#ifndef VIEWER_PROGRESS_H
#define VIEWER_PROGRESS_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct progress - a bar that appears after a moment
 * @is_on:	there is somebody to look at it
 * @is_shown:	it stands on the terminal
 * @next:	when it is drawn again, ms of CLOCK_MONOTONIC
 */
struct progress {
	bool is_on;
	bool is_shown;
	__u64 next;
};

/* Only if standard error is a terminal, and none that standard output writes on meanwhile. */
void progress_begin(struct progress *p, bool prints_meanwhile);
/* @done of @all, whatever they are; may be called often */
void progress_set(struct progress *p, __u64 done, __u64 all);
/* Takes the bar away. */
void progress_end(struct progress *p);

#endif
