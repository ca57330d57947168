/* SPDX-License-Identifier: GPL-2.0 */
/* progress.h - shows the progress of long work on a terminal */
#ifndef VIEWER_BASE_PROGRESS_H
#define VIEWER_BASE_PROGRESS_H

#include <linux/types.h>

/*
 * Begins work on events with times from @from to @until. Shows nothing unless standard error is a
 * terminal, or KTRACE_PROGRESS asks for it.
 */
void progress_begin(__u64 from, __u64 until);
/* The same for a file of @size bytes. */
void progress_begin_bytes(__u64 size);
/*
 * Reports progress up to this time or byte. Called for each event or chunk, so most calls only
 * count.
 */
void progress_at(__u64 at);
/* The same after @events more events, for callers that report many at once. */
void progress_add(__u64 at, __u64 events);
/* Hides the line before a message; progress_at() shows it again. A signal handler may call it. */
void progress_hide(void);
/* Hides the line for good. */
void progress_end(void);

#endif
