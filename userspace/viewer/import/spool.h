/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spool.h - collects events, then returns them in order of time
 *
 * Events that do not fit in memory are sorted in parts in a temporary file, which are merged at
 * the end: memory does not grow with the trace.
 */
#ifndef VIEWER_IMPORT_SPOOL_H
#define VIEWER_IMPORT_SPOOL_H

#include "import_writer.h"

#include <linux/ktrace_events.h>
#include <stdio.h>

/**
 * struct spooled - an event
 * @ts:		its time
 * @rank:	order among events of the same time, before @order
 * @order:	order of arrival
 * @type:	NULL = a loss: of the CPU, or of programs if there is none
 * @at:		offset of its payload
 * @len:	bytes of the payload
 * @tid:	as in struct import_writer_event; likewise @pid, @cpu and @flags
 * @comm:	"" = unknown
 * @reason:	without a type: why events are lost, enum ktrace_lost_reason
 * @lost:	without a type: number of losses
 * @is_mark:	its payload is a mark, which the function of the spool writes
 */
struct spooled {
	__u64 ts;
	__s64 rank;
	__u64 order;
	const struct import_type *type;
	size_t at;
	__u32 len;
	__u32 tid;
	__u32 pid;
	__s32 cpu;
	__u32 flags;
	char comm[KTRACE_COMM_LEN];
	int reason;
	__u64 lost;
	bool is_mark;
};

struct spool_run;

/**
 * struct spool - all events
 * @events:	events in memory
 * @nr:		number of @events
 * @cap:	capacity of @events
 * @payloads:	payloads of @events
 * @order:	order of the next event
 * @file:	sorted parts, NULL = none
 * @runs:	the parts in @file
 * @run_nr:	number of @runs
 * @end:	bytes of @file
 * @put_mark:	writes an event that is a mark; it gets @arg
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
	int (*put_mark)(void *arg, const struct spooled *e, const char *data);
	void *arg;
};

/*
 * Adds an event; copies @data and sets the order. Return: 0, -ENOMEM, -ECANCELED: the file cannot
 * be written, already reported.
 */
int spool_add(struct spool *s, struct spooled e, const void *data);
/*
 * Passes all events to @put, with their payloads. Return: 0, -errno as above, or of @put, whose
 * error ends it.
 */
int spool_each(struct spool *s, int (*put)(void *arg, const struct spooled *e, const char *data),
	       void *arg);
/* Writes an event at once, with this payload. */
int spool_write_one(struct import_writer *f, const struct spooled *e,
		    const struct ktrace_out *payload);
/* Writes all events. Return: 0, -errno as above, or of the tracefile. */
int spool_write(struct spool *s, struct import_writer *f);
void spool_free(struct spool *s);

#endif
