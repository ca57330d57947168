/* SPDX-License-Identifier: GPL-2.0 */
/* line.h - prints an event as a line of text or a JSON object */
#ifndef VIEWER_EVENTS_LINE_H
#define VIEWER_EVENTS_LINE_H

#include "base/hosts.h"
#include "symbols/symbols.h"

#include <ktrace/traceset.h>

#include "model/object_names.h"

enum time_format { TIME_REL, TIME_WALL, TIME_RAW, TIME_DELTA };

#define COMM_MAX 16
#define SAME_NR 64u	/* a power of two */

#define LINE_NAMES_MAX 4u

/**
 * struct line_names - names of the thread and objects of an event
 * @has_any:	one of them has a name
 * @thread:	name of its thread; NULL = none
 * @objects:	names of the addresses among its fields, in their order
 */
struct line_names {
	bool has_any;
	const char *thread;
	const char *objects[LINE_NAMES_MAX];
};

/**
 * struct same - cached middle of a line, which many lines share: see put_middle()
 * @stream:	stream of the event; NULL = unused
 * @type:	its type
 * @tid:	its thread
 * @pid:	the thread's process
 * @comm:	the thread's name; empty = not known
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
 * struct line_before - the previous line
 * @time:	its time, or where the times of lines begin
 * @trace:	its trace, NULL = there is no previous line
 * @raw:	its stamp
 */
struct line_before {
	__u64 time;
	const struct ktrace_trace *trace;
	__u64 raw;
};

/**
 * struct lines - how events are printed
 * @out:	where they go
 * @set:	the files
 * @has_many_files: lines have the number of the file
 * @has_hosts:	there are several hosts: lines have the host instead, and the error of the time
 * @host_width:	length of the longest label of a host
 * @time:	how to show times
 * @is_json:	one object a line
 * @has_colours: lost events are highlighted
 * @start:	time of the first event of all
 * @before:	the previous line
 * @symbols:	looks up addresses of code; NULL = no lookup. Single-threaded only
 * @has_stacks:	print stacks after events that have them. Single-threaded only
 * @aliases:	names, up to date for the event to be printed; NULL = none
 * @same:	cached middles of lines
 */
struct lines {
	struct ktrace_out *out;
	const struct ktrace_traceset *set;
	bool has_many_files;
	bool has_hosts;
	size_t host_width;
	enum time_format time;
	bool is_json;
	bool has_colours;
	__u64 start;
	struct line_before before;
	struct symbols *symbols;
	bool has_stacks;
	const struct object_names *aliases;
	struct same same[SAME_NR];
};

/* The option --time; refers to an enum time_format */
extern const struct option_row time_options[];
/* Begins the lines of @set, whose first event has the time @start. */
void lines_begin(struct lines *l, const struct ktrace_traceset *set, __u64 start);
void line_put(struct lines *l, const struct ktrace_trace_event *e);
/* Looks up the names of an event's thread and objects. */
void line_find_names(const struct lines *l, const struct ktrace_trace_event *e,
		     struct line_names *names);
/*
 * Like line_put(), with names and thread already looked up; unknown @pid is 0, unknown @comm empty.
 */
void line_put_named(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
		    const char *comm, const struct line_names *names);
/* Writes :"NAME", after the thing that has this name. */
void line_put_name(struct ktrace_out *out, const char *name);
/* Writes "KEY":"NAME". */
void line_put_json_name(struct ktrace_out *out, const char *key, const char *name);
/* Shared with other forms of a line: the time; an object up to the event's name */
void line_put_time(struct lines *l, const struct ktrace_trace_event *e);
/* With several hosts, writes a column, or members of an object, with the error of the time. */
void line_put_error(struct lines *l, const struct ktrace_trace_event *e);
void line_put_json_error(struct lines *l, const struct ktrace_trace_event *e);
/* Writes the column that tells the files or hosts apart, if there are several. */
void line_put_file(struct lines *l, const struct ktrace_trace_event *e);
/* Returns what the line after that of @e has to know of it. */
struct line_before line_before(const struct ktrace_trace_event *e);
void line_put_json_begin(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
			 const char *comm);

/**
 * struct line_thread - description of an event's thread
 * @pid:	its process
 * @has_pid:	@pid is known
 * @comm:	its name; empty = not known
 */
struct line_thread {
	__u32 pid;
	bool has_pid;
	const char *comm;
};

/* Finds the thread; returns false for lost events, which have none. */
bool line_find_thread(const struct ktrace_trace_event *e, struct line_thread *thread);

/* Goes through the values of an event that has a type. */
#define line_for_each_value(v, it, e) \
	for (ktrace_values_init(&(it), (e)->type, (e)->payload, (e)->len); \
	     ktrace_values_next(&(it), &(v));)

/* True if the event has fields; otherwise only its bytes can be printed. */
static inline bool line_has_fields(const struct ktrace_trace_event *e)
{
	return e->type && !(e->flags & KTRACE_EVENT_NO_START);
}

/* Writes {"name":value,...}. */
void line_put_json_fields(struct ktrace_out *out, const struct ktrace_trace_event *e);
/* Writes the names of flags: "irq backwards". */
void line_put_flags(struct ktrace_out *out, __u32 flags);
/* Writes the payload in hexadecimal. */
void line_put_bytes(struct ktrace_out *out, const struct ktrace_trace_event *e);
/* Writes the symbols of an event's pointers to code. */
void line_put_symbols(struct lines *l, const struct ktrace_trace_event *e, __u32 pid);
/* Writes the position after the last line. */
void line_put_position(struct lines *l, const char *text);

#endif
