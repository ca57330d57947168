/* SPDX-License-Identifier: LGPL-2.1 */
/* interval.h - the columns that all tables of intervals begin with */
#ifndef KTRACE_SQL_INTERVAL_H
#define KTRACE_SQL_INTERVAL_H

#include <ktrace/traceset.h>

#include "table.h"

enum interval_column {
	INTERVAL_TIME, INTERVAL_END_TIME, INTERVAL_NS, INTERVAL_END_NS, INTERVAL_DURATION,
	INTERVAL_TID, INTERVAL_PID, INTERVAL_COMM, INTERVAL_HOST, INTERVAL_MACHINE, INTERVAL_CPU,
	INTERVAL_COMMON,
};

/* @cpu_doc: what the CPU is */
#define INTERVAL_COLUMNS(cpu_doc) \
	{ "time", "INTEGER", "begin, ns since 1970", 0 }, \
	{ "end_time", "INTEGER", "end, ns since 1970", 0 }, \
	{ "ns", "INTEGER", "begin, ns since the first event of all files", 0 }, \
	{ "end_ns", "INTEGER", "end, ns since the first event of all files", 0 }, \
	{ "duration", "INTEGER", "ns from begin to end, or to the end of the files", 0 }, \
	{ "tid", "INTEGER", "the thread", PUSH_NUMBER }, \
	{ "pid", "INTEGER", "its process, NULL = unknown", 0 }, \
	{ "comm", "TEXT", "its name at the end, NULL = unknown", 0 }, \
	{ "host", "TEXT", "name of the host, NULL = not in the file", 0 }, \
	{ "machine", "INTEGER", "number of the first trace of the same boot", 0 }, \
	{ "cpu", "INTEGER", cpu_doc, 0 }

/**
 * struct interval - the values of these columns
 * @from:	begin
 * @to:		end
 * @tid:	the thread, if @has_tid
 * @pid:	its process, 0 = unknown
 * @machine:	number of the first trace of the same boot
 * @cpu:	CPU, -1 = NULL
 * @has_tid:	there is a thread
 * @is_open:	it has not ended: @to is the end of the files
 * @comm:	name of the thread, empty = unknown
 */
struct interval {
	__u64 from;
	__u64 to;
	__u32 tid;
	__u32 pid;
	__u32 machine;
	__s32 cpu;
	bool has_tid;
	bool is_open;
	char comm[16];
};

/* Sets the name; NULL = unknown. */
void ktrace_interval_name(struct interval *i, const char *name);
/* The result for one of these columns */
void ktrace_result_interval(struct ktrace_sql *sql, struct ktrace_out *cell, sqlite3_context *to,
			    const struct interval *i, enum interval_column column);

#endif
