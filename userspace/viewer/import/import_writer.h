/* SPDX-License-Identifier: GPL-2.0 */
/*
 * import_writer.h - events of another tool's trace on their way into a tracefile
 *
 * A reader of another format describes each type of event once, and puts events with payloads as
 * described. What is one of the kernel's events that ktrace records too is turned into that one,
 * import_map.h; all others keep name and fields.
 *
 * Functions return 0 or -errno, unless they say otherwise.
 */
#ifndef VIEWER_IMPORT_IMPORT_WRITER_H
#define VIEWER_IMPORT_IMPORT_WRITER_H

#include <ktrace/traceset.h>

struct import_writer;
struct import_type;

/** IMPORT_WRITER_TEXT - the type of events that are kept as text; it always has a number */
#define IMPORT_WRITER_TEXT "foreign:text{string event;string text;string callchain;}"

/** IMPORT_WRITER_TID_UNKNOWN - of events of which no thread is known */
#define IMPORT_WRITER_TID_UNKNOWN KTRACE_TID_MASK
/** IMPORT_WRITER_CPUS - CPUs have numbers below */
#define IMPORT_WRITER_CPUS 4096
/** IMPORT_WRITER_KINDS - of enum ktrace_channel_kind */
#define IMPORT_WRITER_KINDS 2

/**
 * struct import_writer_about - what holds for the whole trace; text that is not known is NULL
 * @tool:	what recorded it
 * @host:	name of the machine
 * @kernel:	its release
 * @machine:	"x86_64" and so on: numbers of system calls are of one
 * @x32:	"1": its kernel has calls of x32
 * @boot:	boot id: stamps are CLOCK_MONOTONIC of it
 * @raw:	a stamp, ns
 * @real_ns:	time since the epoch at that stamp
 */
struct import_writer_about {
	const char *tool;
	const char *host;
	const char *kernel;
	const char *machine;
	const char *x32;
	const char *boot;
	__u64 raw;
	__u64 real_ns;
};

/**
 * struct import_writer_event - one event
 * @type:	its type
 * @cpu:	where it was recorded, below 0 = not known
 * @ts:		when, ns, as raw of struct import_writer_about
 * @tid:	by which thread; IMPORT_WRITER_TID_UNKNOWN: the one on the CPU, if switches are
 *		recorded
 * @pid:	its process, 0 = not known
 * @comm:	its name, NULL = not known
 * @flags:	KTRACE_REC_IRQ, KTRACE_REC_TRUNCATED, KTRACE_REC_CRITICAL
 * @data:	payload
 * @len:	bytes
 */
struct import_writer_event {
	const struct import_type *type;
	int cpu;
	__u64 ts;
	__u32 tid;
	__u32 pid;
	const char *comm;
	__u32 flags;
	const void *data;
	size_t len;
};

/**
 * import_writer_open - begin a tracefile
 * @path:	its name
 * @level:	of compression
 * @out:	what it is written by
 */
int import_writer_open(const char *path, int level, struct import_writer **out);
/** import_writer_about - the first that is written; once */
int import_writer_about(struct import_writer *f, const struct import_writer_about *about);
/** import_writer_has_about - has that been done? */
bool import_writer_has_about(const struct import_writer *f);

/**
 * import_type - the type with this description, made if there is none yet
 * @f:		the file
 * @kind:	enum ktrace_channel_kind
 * @desc:	description, <linux/ktrace_events.h>
 * @out:	the type
 *
 * Return: also -EINVAL if @desc is none, -EOVERFLOW if there are too many.
 */
int import_type(struct import_writer *f, __u32 kind, const char *desc,
		const struct import_type **out);

/** import_writer_put - write an event */
int import_writer_put(struct import_writer *f, const struct import_writer_event *e);
/** import_writer_lost - say that events were lost: how many, or one if it is not known how many */
int import_writer_lost(struct import_writer *f, __u32 kind, int cpu, __u64 ts,
		       const struct ktrace_lost *newly);

/** import_writer_events - written so far */
__u64 import_writer_events(const struct import_writer *f);
/** import_writer_losses - told so far */
__u64 import_writer_losses(const struct import_writer *f);

/** import_writer_close - write the rest, free all; NULL is fine */
int import_writer_close(struct import_writer *f);

/** import_writer_name - @s as a name in a description: what cannot be in one becomes '_' */
void import_writer_name(struct ktrace_out *out, const char *s);

/* Between the parts of it. */

struct import_types;

int import_types_new(struct import_types **out);
void import_types_free(struct import_types *types);
struct import_types *import_types_of(struct import_writer *f);
struct ktrace_tracefile *import_writer_file(struct import_writer *f);
/* Process of a thread, 0 = not known; machine as in struct import_writer_about. */
__u32 import_writer_pid(const struct import_writer *f, __u32 tid);
const char *import_writer_machine(const struct import_writer *f);

/**
 * struct import_type - a type of event
 * @parsed:	its description
 * @id:		in the tracefile
 * @plan:	it is turned into another event, NULL = it is written as it is
 * @desc:	text
 * @next:	with the same hash
 */
struct import_type {
	struct ktrace_event_type *parsed;
	__u16 id;
	struct import_map *plan;
	char *desc;
	struct import_type *next;
};

#endif
