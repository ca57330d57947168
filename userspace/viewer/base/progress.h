/* SPDX-License-Identifier: GPL-2.0 */
/* progress.h - how far long work has got, for a user at a terminal */
#ifndef VIEWER_BASE_PROGRESS_H
#define VIEWER_BASE_PROGRESS_H

#include <linux/types.h>

/*
 * Events with times from @from to @until; nothing is shown unless standard error is a terminal
 * and standard output is none that would be disturbed.
 */
void progress_begin(__u64 from, __u64 until);
/* The same for a file of @size bytes. */
void progress_begin_bytes(__u64 size);
/* Done up to this time or byte: once an event, or a piece of the file. Cheap: most only count. */
void progress_at(__u64 at);
/* Takes the line away for what is to be said; it comes again. A handler of signals may call it. */
void progress_hide(void);
/* Takes the line away. */
void progress_end(void);

#endif
