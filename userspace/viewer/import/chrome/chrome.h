/* SPDX-License-Identifier: GPL-2.0 */
/* chrome.h - conversion of a trace in Chrome's format: state and parts */
#ifndef VIEWER_IMPORT_CHROME_CHROME_H
#define VIEWER_IMPORT_CHROME_CHROME_H

#include "import/event_builder.h"
#include "import/foreign_asyncs.h"
#include "import/import.h"

#include "event.h"
#include "json.h"

/** struct chrome_frame - a stack frame: an object with its name and the id of its caller */
struct chrome_frame {
	char id[64];
	const char *at;
	size_t size;
};

/**
 * struct chrome - one run
 * @x:		options and files
 * @path:	the file, for messages
 * @data:	its contents
 * @size:	bytes
 * @b:		the events
 * @index:	places of events by time, if they are not in order
 * @threads:	processes and threads
 * @asyncs:	ids of asynchronous events
 * @frames:	struct chrome_frame
 * @text:	room for one text; @name, @category: for the event's
 * @shift:	added to times, ns, so that none is negative
 * @least:	smallest time, @last: largest
 * @has_time:	there is a time
 * @is_sorted:	slices of each thread are in order of time
 * @is_own:	ktrace has exported it
 * @has_start:	@start_ns is the time since the epoch at time 0
 * @lost:	lost events according to ktrace's export, by reason; @told: those with an event
 * @facts:	otherData.files, of which the machine is known
 * @bad:	elements that are not events; @bad_at: byte of the first one
 * @long_nr:	members of the trace that are too long
 * @further:	events of further machines
 * @system:	systemTraceEvents, @at is NULL if there are none
 * @is_partial:	part of them is left out, as already reported
 * @stop_at:	where reading ends, because of @why; NULL = at the end
 * @released:	bytes of @data that were given back
 */
struct chrome {
	struct import *x;
	const char *path;
	const char *data;
	size_t size;
	struct event_builder b;
	struct spool index;
	struct foreign_threads threads;
	struct foreign_asyncs asyncs;
	struct hash_table frames;
	struct ktrace_out text;
	struct ktrace_out name;
	struct ktrace_out category;
	__s64 shift;
	__s64 least;
	__s64 last;
	bool has_time;
	bool is_sorted;
	bool is_own;
	bool has_start;
	__u64 start_ns;
	__u64 lost[KTRACE_LOST_NR];
	__u64 told[KTRACE_LOST_NR];
	struct json_value facts;
	__u64 bad;
	__u64 bad_at;
	__u64 long_nr;
	__u64 further;
	struct json_value system;
	bool is_partial;
	size_t stop_at;
	const char *why;
	size_t released;
};

/**
 * struct chrome_walk - what to do with the parts of a file; functions return 0 or -errno
 * @event:	takes an element of traceEvents
 * @sample:	takes an element of samples
 * @member:	takes another member of the trace
 */
struct chrome_walk {
	int (*event)(struct chrome *c, const struct json_value *v);
	int (*sample)(struct chrome *c, const struct json_value *v);
	int (*member)(struct chrome *c, const struct json_value *key, const struct json_value *v);
};

/* walk.c: goes through the file, once. Return: 0, -errno of the functions. */
int chrome_walk(struct chrome *c, const struct chrome_walk *w);
void chrome_count_bad(struct chrome *c, const struct json_value *v);

/* learn.c: reads what holds for the whole trace: names, stack frames, times. Return: 0, -errno. */
int chrome_learn(struct chrome *c);
/* Learns the name of a thread from an event of phase M. */
int chrome_learn_name(struct chrome *c, const struct chrome_event *e);

/* convert.c: converts an event or a sample. Return: 0, -errno. */
int chrome_convert(struct chrome *c, const struct json_value *v);
int chrome_convert_sample(struct chrome *c, const struct json_value *v);
/* Reads the time of an event, in ns. False: it has none */
bool chrome_time(const struct json_value *v, __s64 *ns);
/* Returns the number of an id; 0 if there is none; *@error becomes -ENOMEM without memory. */
__s64 chrome_id(struct chrome *c, const struct json_value *v, int *error);
/* Returns the thread of an event; NULL: out of memory */
struct foreign_thread *chrome_thread_of(struct chrome *c, const struct chrome_event *e);
/* Puts the event into the spool, at a time of the trace. */
int chrome_put(struct chrome *c, const struct foreign_thread *thread, __s64 ns, __s64 rank);

/* system.c: converts systemTraceEvents. Return: 0, -errno. */
int chrome_put_system(struct chrome *c);

/* field.c: adds fields to the event. */
void chrome_put_field(struct chrome *c, const struct json_value *key, const struct json_value *v);
void chrome_put_args(struct chrome *c, const struct json_value *args);
void chrome_put_named(struct chrome *c, const char *name, const struct json_value *v);
/* Adds the names of stack frames as callchain, the innermost first. */
void chrome_put_stack(struct chrome *c, const struct json_value *frame);

/* own.c: converts events that ktrace has exported to what they were. Return: 0, -errno. */
int chrome_convert_own(struct chrome *c, const struct chrome_event *e);
/* Puts losses that have no event. */
int chrome_put_own_losses(struct chrome *c);

#endif
