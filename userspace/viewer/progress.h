/* SPDX-License-Identifier: GPL-2.0 */
/* progress.h - how far reading has got, for who waits at a terminal */
#ifndef VIEWER_PROGRESS_H
#define VIEWER_PROGRESS_H

#include <linux/types.h>

/*
 * From @from to @until; nothing is shown unless standard error is a terminal and standard
 * output is none that would be disturbed.
 */
void progress_begin(__u64 from, __u64 until);
/* Cheap: most calls only count. */
void progress_at(__u64 time);
/* Takes the line away again. */
void progress_end(void);

#endif
