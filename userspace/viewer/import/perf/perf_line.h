/* SPDX-License-Identifier: GPL-2.0 */
/* perf_line.h - parses a line of perf script */
#ifndef VIEWER_IMPORT_PERF_PERF_LINE_H
#define VIEWER_IMPORT_PERF_PERF_LINE_H

#include <linux/types.h>
#include <stdbool.h>

/**
 * struct perf_line - a line about an event
 * @comm:	name of the thread
 * @pid:	its process, 0 = unknown
 * @tid:	its thread id
 * @cpu:	CPU it ran on, -1 = unknown
 * @ns:		time
 * @has_time:	the line has one
 * @period:	events that the sample stands for; 0 = unknown
 * @event:	name of the event, "" = none; then @text is a record of perf's own, or an address
 * @text:	the rest of the line
 */
struct perf_line {
	const char *comm;
	__u32 pid;
	__u32 tid;
	int cpu;
	__u64 ns;
	bool has_time;
	__u64 period;
	const char *event;
	const char *text;
};

/* Parses and cuts up @line; false if it is not about an event. */
bool perf_line_parse(char *line, struct perf_line *out);
/* True if the line is a record of perf's own, such as a loss. */
bool perf_line_is_record(const struct perf_line *line);
/* True if the name is "system:event" of the kernel, not one of perf's own with modifiers. */
bool perf_line_is_tracepoint(const char *event);

#endif
