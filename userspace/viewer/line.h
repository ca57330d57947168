/* SPDX-License-Identifier: GPL-2.0 */
/* line.h - an event as a line of text, or as an object of JSON */
#ifndef VIEWER_LINE_H
#define VIEWER_LINE_H

#include "symbols.h"

#include <ktrace/traceset.h>

enum time_format { TIME_REL, TIME_WALL, TIME_RAW, TIME_DELTA, TIME_NR };

#define COMM_MAX 16
#define SAME_NR 64u	/* a power of two */

/**
 * struct same - the middle of a line, which is the same for many: see put_middle()
 * @stream:	where the event comes from; NULL = nothing yet
 * @type:	its type
 * @tid:	its thread
 * @pid:	the thread's process
 * @comm:	the thread's name; empty: not known
 * @len:	bytes of @text
 * @text:	the middle
 */
struct same {
	const struct ktrace_trace_stream *stream;
	const struct ktrace_event_type *type;
	__u32 tid;
	__u32 pid;
	char comm[COMM_MAX];
	__u32 len;
	char text[128];
};

/**
 * struct lines - how events are printed
 * @out:	where to
 * @has_many_files: lines say which file
 * @time:	how to show times
 * @is_json:	one object a line
 * @start:	time of the first event of all
 * @before:	time of the line before
 * @symbols:	looks addresses of code up; NULL = they are not. Not for two threads
 * @same:	middles of lines
 */
struct lines {
	struct ktrace_out *out;
	bool has_many_files;
	enum time_format time;
	bool is_json;
	__u64 start;
	__u64 before;
	struct symbols *symbols;
	struct same same[SAME_NR];
};

/* "rel" and so on; false: there is no such format */
bool line_parse_time_format(const char *text, enum time_format *format);
void line_put(struct lines *l, const struct ktrace_trace_event *e);
/* The same where process and name of the thread, 0 and empty if not known, were looked up. */
void line_put_named(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
		    const char *comm);
/* What other forms of a line share: the time; all of an object up to the event's name */
void line_put_time(struct lines *l, const struct ktrace_trace_event *e);
void line_put_json_begin(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
			 const char *comm);
/* The place behind the last line */
void line_put_position(struct lines *l, const char *text);

#endif
