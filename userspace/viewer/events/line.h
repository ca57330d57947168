/* SPDX-License-Identifier: GPL-2.0 */
/* line.h - an event as a line of text, or as an object of JSON */
#ifndef VIEWER_EVENTS_LINE_H
#define VIEWER_EVENTS_LINE_H

#include "symbols/symbols.h"

#include <ktrace/traceset.h>

#include "object_names.h"

enum time_format { TIME_REL, TIME_WALL, TIME_RAW, TIME_DELTA };

#define COMM_MAX 16
#define SAME_NR 64u	/* a power of two */

#define LINE_NAMES_MAX 4u

/**
 * struct line_names - what things of an event are called
 * @has_any:	one of them has a name
 * @thread:	its thread; NULL = nothing
 * @objects:	the addresses among its fields, in their order
 */
struct line_names {
	bool has_any;
	const char *thread;
	const char *objects[LINE_NAMES_MAX];
};

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
 * @has_colours: losses catch the eye
 * @start:	time of the first event of all
 * @before:	time of the line before
 * @symbols:	looks addresses of code up; NULL = they are not. Not for two threads
 * @has_stacks:	stacks are printed behind events that have them. Not for two threads
 * @aliases:	names, as of the event to be printed; NULL = none
 * @same:	middles of lines
 */
struct lines {
	struct ktrace_out *out;
	bool has_many_files;
	enum time_format time;
	bool is_json;
	bool has_colours;
	__u64 start;
	__u64 before;
	struct symbols *symbols;
	bool has_stacks;
	const struct object_names *aliases;
	struct same same[SAME_NR];
};

/* The word of --time. Returns what is wrong, NULL = nothing. */
const char *line_take_time_format(const char *text, enum time_format *format);
void line_put(struct lines *l, const struct ktrace_trace_event *e);
/* Looks names up. */
void line_find_names(const struct lines *l, const struct ktrace_trace_event *e,
		     struct line_names *names);
/* The same where process and name of the thread, 0 and empty if not known, were looked up. */
void line_put_named(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
		    const char *comm, const struct line_names *names);
/* :"NAME", behind what is called so */
void line_put_name(struct ktrace_out *out, const char *name);
/* "KEY":"NAME" */
void line_put_json_name(struct ktrace_out *out, const char *key, const char *name);
/* What other forms of a line share: the time; all of an object up to the event's name */
void line_put_time(struct lines *l, const struct ktrace_trace_event *e);
void line_put_json_begin(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
			 const char *comm);

/**
 * struct line_thread - what is said of an event's thread
 * @pid:	its process
 * @has_pid:	that is known
 * @comm:	its name; empty: not known
 */
struct line_thread {
	__u32 pid;
	bool has_pid;
	const char *comm;
};

/* False: nothing is, as it is a loss. */
bool line_find_thread(const struct ktrace_trace_event *e, struct line_thread *thread);

/* Otherwise it has bytes only. */
static inline bool line_has_fields(const struct ktrace_trace_event *e)
{
	return e->type && !(e->flags & KTRACE_EVENT_NO_START);
}

/* {"name":value,...} */
void line_put_json_fields(struct ktrace_out *out, const struct ktrace_trace_event *e);
/* "irq backwards" */
void line_put_flags(struct ktrace_out *out, __u32 flags);
/* Hexadecimal digits of the payload */
void line_put_bytes(struct ktrace_out *out, const struct ktrace_trace_event *e);
/* What is at the pointers of an event that point to code, if that is looked up. */
void line_put_symbols(struct lines *l, const struct ktrace_trace_event *e, __u32 pid);
/* The place behind the last line */
void line_put_position(struct lines *l, const char *text);

#endif
