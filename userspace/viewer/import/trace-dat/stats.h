/* SPDX-License-Identifier: GPL-2.0 */
/* stats.h - losses in the kernel's statistics of the CPUs of buffers */
#ifndef VIEWER_IMPORT_TRACE_DAT_STATS_H
#define VIEWER_IMPORT_TRACE_DAT_STATS_H

#include "file.h"

/**
 * struct stats - numbers of events of a CPU that were lost, or that trace-cmd got
 * @buffer:	name of the buffer
 * @cpu:	the CPU
 * @overwritten: lost, before they were read
 * @nested:	of interrupts that found the buffer full of what they interrupted
 * @dropped:	the buffer was full
 * @left:	still in the buffer when trace-cmd looked
 * @read:	read from it before
 * @is_used:	for the caller: this CPU is done
 */
struct stats {
	const char *buffer;
	__u32 cpu;
	__u64 overwritten;
	__u64 nested;
	__u64 dropped;
	__u64 left;
	__u64 read;
	bool is_used;
};

/**
 * struct stats_list - all of a file
 * @all:	sorted by buffer and CPU
 * @nr:		number of them
 */
struct stats_list {
	struct stats *all;
	size_t nr;
};

/** stats_read - read those of the buffers that the file has. Return: 0, -ENOMEM */
int stats_read(struct stats_list *list, const struct file *f);
/** stats_find - those of a CPU; NULL: the file does not have them */
struct stats *stats_find(const struct stats_list *list, const char *buffer, __u32 cpu);
void stats_free(struct stats_list *list);

#endif
