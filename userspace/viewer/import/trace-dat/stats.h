/* SPDX-License-Identifier: GPL-2.0 */
/* stats.h - losses in the kernel's statistics of a CPU of a buffer */
#ifndef VIEWER_IMPORT_TRACE_DAT_STATS_H
#define VIEWER_IMPORT_TRACE_DAT_STATS_H

#include "file.h"

/**
 * struct stats - numbers of events that were lost
 * @overwritten:	before they were read
 * @nested:	of interrupts that found the buffer full of what they interrupted
 * @dropped:	the buffer was full
 */
struct stats {
	__u64 overwritten;
	__u64 nested;
	__u64 dropped;
};

/** stats_find - the losses of a CPU; all 0 if the file does not have them */
struct stats stats_find(const struct file *f, const char *buffer, __u32 cpu);

#endif
