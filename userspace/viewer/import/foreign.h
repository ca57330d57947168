/* SPDX-License-Identifier: GPL-2.0 */
/*
 * foreign.h - events of another tool's trace on their way into a tracefile
 *
 * A reader of another format describes each type of event once, and puts events with payloads as
 * described. What is one of the kernel's events that ktrace records too is turned into that one,
 * foreign_plan.h; all others keep name and fields.
 *
 * Functions return 0 or -errno, unless they say otherwise.
 */
#ifndef VIEWER_FOREIGN_H
#define VIEWER_FOREIGN_H

#include <ktrace/traceset.h>

struct foreign;
struct foreign_type;

/** FOREIGN_TEXT - the type of events that are kept as text, for which there always is a number */
#define FOREIGN_TEXT "foreign:text{string event;string text;string callchain;}"

/** FOREIGN_TID_UNKNOWN - of events of which no thread is known */
#define FOREIGN_TID_UNKNOWN KTRACE_TID_MASK
/** FOREIGN_CPUS - CPUs have numbers below */
#define FOREIGN_CPUS 4096
/** FOREIGN_KINDS - of enum ktrace_channel_kind */
#define FOREIGN_KINDS 2

/**
 * struct foreign_about - what holds for the whole trace; text that is not known is NULL
 * @tool:	what recorded it
 * @host:	name of the machine
 * @kernel:	its release
 * @machine:	"x86_64" and so on: numbers of system calls are of one
 * @x32:	"1": its kernel has calls of x32
 * @boot:	boot id: stamps are CLOCK_MONOTONIC of it
 * @raw:	a stamp, ns
 * @real_ns:	time since the epoch at that stamp
 */
struct foreign_about {
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
 * struct foreign_event - one event
 * @type:	its type
 * @cpu:	where it was recorded, below 0 = not known
 * @ts:		when, ns, as raw of struct foreign_about
 * @tid:	by which thread; FOREIGN_TID_UNKNOWN: the one on the CPU, if switches are recorded
 * @pid:	its process, 0 = not known
 * @comm:	its name, NULL = not known
 * @flags:	KTRACE_REC_IRQ, KTRACE_REC_TRUNCATED, KTRACE_REC_CRITICAL
 * @data:	payload
 * @len:	bytes
 */
struct foreign_event {
	const struct foreign_type *type;
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
 * foreign_open - begin a tracefile
 * @path:	its name
 * @level:	of compression
 * @out:	what it is written by
 */
int foreign_open(const char *path, int level, struct foreign **out);
/** foreign_about - the first that is written; once */
int foreign_about(struct foreign *f, const struct foreign_about *about);
/** foreign_has_about - has that been done? */
bool foreign_has_about(const struct foreign *f);

/**
 * foreign_type - the type with this description, made if there is none yet
 * @f:		the file
 * @kind:	enum ktrace_channel_kind
 * @desc:	description, <linux/ktrace_events.h>
 * @out:	the type
 *
 * Return: also -EINVAL if @desc is none, -EOVERFLOW if there are too many.
 */
int foreign_type(struct foreign *f, __u32 kind, const char *desc, const struct foreign_type **out);

/** foreign_put - write an event */
int foreign_put(struct foreign *f, const struct foreign_event *e);
/** foreign_lost - say that events were lost: how many, or one if it is not known how many */
int foreign_lost(struct foreign *f, __u32 kind, int cpu, __u64 ts,
		 const struct ktrace_lost *newly);

/** foreign_events - written so far */
__u64 foreign_events(const struct foreign *f);
/** foreign_losses - told so far */
__u64 foreign_losses(const struct foreign *f);

/** foreign_close - write the rest, free all; NULL is fine */
int foreign_close(struct foreign *f);

/** foreign_name - @s as a name in a description: what cannot be in one becomes '_' */
void foreign_name(struct ktrace_out *out, const char *s);

/* Between the parts of it. */

struct foreign_types;

int foreign_types_new(struct foreign_types **out);
void foreign_types_free(struct foreign_types *types);
struct foreign_types *foreign_types_of(struct foreign *f);
struct ktrace_tracefile *foreign_file(struct foreign *f);
/* Process of a thread, 0 = not known; machine as in struct foreign_about. */
__u32 foreign_pid(const struct foreign *f, __u32 tid);
const char *foreign_machine(const struct foreign *f);

/**
 * struct foreign_type - a type of event
 * @parsed:	its description
 * @id:		in the tracefile
 * @plan:	it is turned into another event, NULL = it is written as it is
 * @desc:	text
 * @next:	with the same hash
 */
struct foreign_type {
	struct ktrace_event_type *parsed;
	__u16 id;
	struct foreign_plan *plan;
	char *desc;
	struct foreign_type *next;
};

#endif
