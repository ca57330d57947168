/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spool.h - events until all are known, then in the order of time
 *
 * What is too much for memory is sorted in parts, which are in a temporary file and merged in the
 * end: memory does not grow with the trace.
 */
#ifndef VIEWER_IMPORT_PERFETTO_SPOOL_H
#define VIEWER_IMPORT_PERFETTO_SPOOL_H

#include "import/import_writer.h"

#include <linux/ktrace_events.h>
#include <stdio.h>

/**
 * struct spooled - an event
 * @ts:		its time
 * @order:	of coming
 * @type:	NULL = something was lost: of the CPU, or of programs if there is none
 * @at:		of its payload
 * @len:	bytes of that
 * @tid:	as in struct import_writer_event, and so are @pid, @cpu and @flags
 * @comm:	"" = not known
 * @lost:	without a type: how often something is missing
 * @left_out:	the same: packets that could not be taken in
 */
struct spooled {
	__u64 ts;
	__u64 order;
	const struct import_type *type;
	size_t at;
	__u32 len;
	__u32 tid;
	__u32 pid;
	__s32 cpu;
	__u32 flags;
	char comm[KTRACE_COMM_LEN];
	__u32 lost;
	__u32 left_out;
};

struct spool_run;

/**
 * struct spool - all events
 * @events:	in memory
 * @nr:		how many
 * @cap:	for how many there is room
 * @payloads:	of them
 * @order:	of the next one
 * @file:	parts that are sorted, NULL = none
 * @runs:	these parts
 * @run_nr:	how many
 * @end:	bytes of them
 */
struct spool {
	struct spooled *events;
	size_t nr;
	size_t cap;
	struct ktrace_out payloads;
	__u64 order;
	FILE *file;
	struct spool_run *runs;
	size_t run_nr;
	size_t end;
};

/*
 * Takes an event in; @data is copied, and order set. Return: 0, -ENOMEM, -ECANCELED: the file
 * cannot be written, which was complained about.
 */
int spool_add(struct spool *s, struct spooled e, const void *data);
/* Writes all of them. Return: 0, -errno as above, or of the tracefile. */
int spool_write(struct spool *s, struct import_writer *f);
void spool_free(struct spool *s);

#endif
