/* SPDX-License-Identifier: GPL-2.0 */
/*
 * import_writer.h - writes the events of another tool's trace into a tracefile
 *
 * A reader of another format describes each type of event once, and puts events with payloads as
 * described. Kernel events that ktrace records, too, are converted to those of ktrace, see
 * import_map.h; all others keep their names and fields.
 *
 * Functions return 0 or -errno, unless they say otherwise.
 */
#ifndef VIEWER_IMPORT_IMPORT_WRITER_H
#define VIEWER_IMPORT_IMPORT_WRITER_H

#include <ktrace/traceset.h>

struct import_writer;
struct import_type;

/** IMPORT_WRITER_TEXT - type of events kept as text; a number is reserved for it */
#define IMPORT_WRITER_TEXT "foreign:text{string event;string text;string callchain;}"

/** IMPORT_WRITER_TID_UNKNOWN - thread of events whose thread is unknown */
#define IMPORT_WRITER_TID_UNKNOWN KTRACE_TID_MASK
/** IMPORT_WRITER_CPUS - numbers of CPUs are below */
#define IMPORT_WRITER_CPUS 4096
/** IMPORT_WRITER_KINDS - number of kinds in enum ktrace_channel_kind */
#define IMPORT_WRITER_KINDS 2

/**
 * struct import_writer_about - facts about the whole trace; unknown text is NULL
 * @tool:	tool that recorded it
 * @host:	name of the machine
 * @kernel:	its release
 * @machine:	"x86_64" and so on: selects the numbers of system calls
 * @x32:	"1": its kernel has x32 system calls
 * @boot:	boot id: stamps are CLOCK_MONOTONIC of that boot
 * @raw:	a stamp, ns
 * @real_ns:	time since the epoch at that stamp
 * @keeps_zero:	stamps before 0 get 0, so that @boot holds for all; else the file's clock begins
 *		earlier, and is not that of the boot
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
	bool keeps_zero;
};

/**
 * struct import_writer_event - one event
 * @type:	its type
 * @cpu:	CPU that recorded it, below 0 = unknown
 * @ts:		stamp in ns, as raw of struct import_writer_about; before its 0: negative, as
 *		two's complement, and then the first event has the earliest stamp
 * @tid:	its thread; IMPORT_WRITER_TID_UNKNOWN: the one on the CPU, if switches are recorded
 * @pid:	its process, 0 = unknown
 * @comm:	name of its thread, NULL = unknown
 * @flags:	KTRACE_REC_IRQ, KTRACE_REC_TRUNCATED, KTRACE_REC_CRITICAL
 * @data:	payload
 * @len:	bytes of @data
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
 * @path:	name of the file
 * @level:	compression level
 * @out:	its writer
 */
int import_writer_open(const char *path, int level, struct import_writer **out);
/** import_writer_about - write the facts about the trace: first, and once */
int import_writer_about(struct import_writer *f, const struct import_writer_about *about);
/** import_writer_has_about - true if they have been written */
bool import_writer_has_about(const struct import_writer *f);

/**
 * import_type - find the type with this description, or create it
 * @f:		the tracefile
 * @kind:	enum ktrace_channel_kind
 * @desc:	description, <linux/ktrace_events.h>
 * @out:	the type
 *
 * Return: also -EINVAL if @desc is invalid, -EOVERFLOW if there are too many types.
 */
int import_type(struct import_writer *f, __u32 kind, const char *desc,
		const struct import_type **out);

/** import_writer_put - write an event */
int import_writer_put(struct import_writer *f, const struct import_writer_event *e);
/** import_writer_lost - record a loss of events; an unknown number counts as one */
int import_writer_lost(struct import_writer *f, __u32 kind, int cpu, __u64 ts,
		       const struct ktrace_lost *newly);

struct ktrace_text;
/** import_writer_text - write lines of META, and empty @text */
int import_writer_text(struct import_writer *f, struct ktrace_text *text);

/**
 * import_writer_is_of_boot - true if stamps of the file are those of the boot in its facts
 *
 * That is known after the first event.
 */
bool import_writer_is_of_boot(const struct import_writer *f);

/** import_writer_events - number of events written so far */
__u64 import_writer_events(const struct import_writer *f);
/** import_writer_losses - number of lost events recorded so far */
__u64 import_writer_losses(const struct import_writer *f);

/**
 * import_writer_print_fmt - tell the kernel's description of its event sched_switch
 * @f:		the tracefile
 * @print_fmt:	its "print fmt", which names the task states; after import_writer_about()
 */
void import_writer_print_fmt(struct import_writer *f, const char *print_fmt);

/**
 * import_writer_end - write events that still wait for what later ones tell
 * @f:		the tracefile
 * @path:	of the trace, for a message about what had to be guessed
 */
int import_writer_end(struct import_writer *f, const char *path);

/** import_writer_close - write the rest and free everything; @f may be NULL */
int import_writer_close(struct import_writer *f);

/** import_writer_name - append @s as a name in a description: invalid characters become '_' */
void import_writer_name(struct ktrace_out *out, const char *s);

/* Shared by the parts of the writer */

/*
 * Write an event or a loss at once, see import_hold.h. @state: prev_state of a switch, NULL = as
 * converted by import_map.h
 */
int import_writer_write(struct import_writer *f, const struct import_writer_event *e,
			const __u32 *state);
int import_writer_write_lost(struct import_writer *f, __u32 kind, int cpu, __u64 ts,
			     const struct ktrace_lost *newly);

/* Returns the process of a thread, 0 = unknown; or machine of struct import_writer_about. */
__u32 import_writer_pid(const struct import_writer *f, __u32 tid);
const char *import_writer_machine(const struct import_writer *f);

/**
 * struct import_type - a type of event
 * @parsed:	its description
 * @id:		number in the tracefile
 * @plan:	converts it to another event, NULL = written as it is
 * @desc:	text of the description
 * @next:	next type with the same hash
 */
struct import_type {
	struct ktrace_event_type *parsed;
	__u16 id;
	struct import_map *plan;
	char *desc;
	struct import_type *next;
};

#endif
