/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * traceset.h - reading any number of tracefiles as one sequence of events
 *
 * Order: an event comes before another one if its key (time, stream id, number of the trace) is
 * smaller. The events of one stream always keep the order of the file: an event whose stamp goes
 * backwards is delivered in its place and flagged.
 *
 * Time is in ns since the epoch and never decreases while stamps ascend: it is the wall clock at
 * the beginning of the recording plus the progress of CLOCK_MONOTONIC since then, so that steps of
 * the wall clock do not appear. Traces of the same boot share one offset, and so are ordered by
 * their common clock.
 *
 * Files may be damaged, hostile, truncated or growing. Damage is reported with its place and
 * skipped, the rest is delivered. Memory: one block for each stream, 16 bytes for each section,
 * names and event types; see also enum ktrace_cores.
 *
 * Functions return 0 (or a count) or -errno. A traceset is used by one thread.
 */
#ifndef KTRACE_TRACESET_H
#define KTRACE_TRACESET_H

#include <ktrace/clock_ties.h>
#include <ktrace/damage.h>
#include <ktrace/decode.h>
#include <linux/ktrace_file.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_traceset;
struct ktrace_trace;

/**
 * enum ktrace_cores - use of a second core for reading, in struct ktrace_traceset_options
 * @KTRACE_CORES_ONE:	no: the calling thread does everything; the default
 * @KTRACE_CORES_AUTO:	if the process may use one, and for long sequential reads
 * @KTRACE_CORES_TWO:	always, as tests want it
 *
 * The second core runs a thread of the library that loads blocks ahead of the reader. It blocks all
 * signals, calls no code of the program, not even @report, uses at most a few MiB plus a block for
 * each stream, and ends with ktrace_traceset_close(). The child of a fork(2) has no such thread and
 * reads on without it.
 */
enum ktrace_cores {
	KTRACE_CORES_ONE,
	KTRACE_CORES_AUTO,
	KTRACE_CORES_TWO,
};

/**
 * struct ktrace_traceset_options - may be NULL for the defaults
 * @size:	sizeof(struct ktrace_traceset_options)
 * @report:	called for each damage, may be NULL
 * @arg:	for @report
 * @is_live:	the end of an unclosed file is not final: see ktrace_traceset_poll(). No effect once
 *		all files are closed
 * @cores:	whether a thread of the library may read ahead; does not change the results
 */
struct ktrace_traceset_options {
	size_t size;
	void (*report)(void *arg, const struct ktrace_damage *damage);
	void *arg;
	bool is_live;
	enum ktrace_cores cores;
};

/**
 * struct ktrace_trace_stream - one stream: the events of one ring
 * @trace:	its trace
 * @id:		id in the file
 * @kind:	enum ktrace_channel_kind, KTRACE_KIND_UNKNOWN if not in the file
 * @cpu:	CPU number, -1 for a thread's ring
 * @block_size:	bytes, 0 if not in the file
 * @policy:	enum ktrace_policy, KTRACE_POLICY_NR if not in the file
 * @ring_size:	bytes, 0 if not in the file
 * @blocks:	BLOCK sections so far
 */
struct ktrace_trace_stream {
	const struct ktrace_trace *trace;
	__u32 id;
	__u32 kind;
	__s32 cpu;
	__u32 block_size;
	__u32 policy;
	__u64 ring_size;
	__u64 blocks;
};

#define KTRACE_KIND_UNKNOWN 0xffffffffu

enum ktrace_event_flag {
	KTRACE_EVENT_TRUNCATED = 1 << 0,	/* cut at the event's own maximum size */
	KTRACE_EVENT_INCOMPLETE = 1 << 1,	/* fragments are missing at the end */
	KTRACE_EVENT_NO_START = 1 << 2,		/* fragments are missing at the beginning */
	KTRACE_EVENT_IRQ = 1 << 3,		/* recorded in interrupt context */
	KTRACE_EVENT_CRITICAL = 1 << 4,
	KTRACE_EVENT_BACKWARDS = 1 << 5,	/* stamp below its predecessor's */
	KTRACE_EVENT_CONTEXT = 1 << 6,		/* see ktrace/context.h; upper 8 bits: items */
};

/** ktrace_event_flag_name - get the name of a flag: "irq"; NULL for CONTEXT and unknown ones */
const char *ktrace_event_flag_name(__u32 flag);

/**
 * struct ktrace_trace_event - one event
 * @time:	ns since the epoch, see above
 * @raw:	stamp as recorded
 * @type:	NULL if the file does not describe the event
 * @stream:	the event's stream
 * @payload:	@len bytes, valid until the next call with this traceset
 * @len:	bytes of payload
 * @tid:	thread
 * @flags:	enum ktrace_event_flag
 * @id:		KTRACE_ID_LOST: type "ktrace:lost", fields reason and count; otherwise the id in the
 *		file
 *
 * A fragmented event has the time and stamp of its last fragment. If fragments are missing, @raw is
 * the stamp of the last one present. @time is then the time at which the rest is known to be
 * missing: that of the thread's next record, or of the end of all files. So time never decreases.
 */
struct ktrace_trace_event {
	__u64 time;
	__u64 raw;
	const struct ktrace_event_type *type;
	const struct ktrace_trace_stream *stream;
	const char *payload;
	__u32 len;
	__u32 tid;
	__u32 flags;
	__u32 id;
};

/**
 * ktrace_event_name - append the name of an event's type: "sched:switch"
 *
 * An event that the file does not describe is "kernel:64", "user:16" or "unknown:16".
 */
void ktrace_event_name(struct ktrace_out *out, const struct ktrace_trace_event *e);

/**
 * struct ktrace_traceset_stats - statistics of reading so far
 * @events:	events delivered, without "ktrace:lost"
 * @backwards:	events with a stamp below their predecessor's
 * @blocks:	blocks loaded, including those for seeks
 * @damaged:	calls of @report
 * @lost:	lost records by reason, as delivered
 */
struct ktrace_traceset_stats {
	__u64 events;
	__u64 backwards;
	__u64 blocks;
	__u64 damaged;
	__u64 lost[KTRACE_LOST_NR];
};

/**
 * ktrace_traceset_open - create an empty traceset
 *
 * Return: 0, -ENOMEM, -EINVAL if the size or the cores in @opts are unknown.
 */
int ktrace_traceset_open(const struct ktrace_traceset_options *opts, struct ktrace_traceset **out);

/** ktrace_traceset_close - free everything; NULL is allowed */
void ktrace_traceset_close(struct ktrace_traceset *set);

/**
 * ktrace_traceset_add - add a file
 *
 * Damage is reported. After a failure the traceset is unchanged. The parts of a recording in
 * several files form one trace, in whatever order they are added; adding a part invalidates
 * everything obtained from that trace before. With is_live and KTRACE_CORES_ONE, the part after the
 * last one may be added while events are read: reading continues in it.
 *
 * Return: 0, -EBUSY once reading has begun, except for such a part; -EBADMSG not a tracefile,
 * -EEXIST a copy of a file or part that has been added; -EPROTONOSUPPORT another version or byte
 * order; -ENOMEM, or -errno of open(2) or read(2).
 */
int ktrace_traceset_add(struct ktrace_traceset *set, const char *path);

/**
 * ktrace_traceset_add_fd - add an open file
 * @set:	the traceset
 * @fd:		open for reading; it stays the caller's, and may be closed afterwards
 * @path:	name of the file for messages
 *
 * Return: as ktrace_traceset_add(), with errors of fcntl(2) instead of open(2).
 */
int ktrace_traceset_add_fd(struct ktrace_traceset *set, int fd, const char *path);

/**
 * ktrace_traceset_reopen - open the same files again, to read them apart from a traceset
 * @set:	the traceset
 * @opts:	of the new one
 * @out:	a traceset with the same traces in the same order, at their beginning
 *
 * These are the files that are open, whatever has become of their names.
 *
 * Return: as ktrace_traceset_open() and ktrace_traceset_add_fd().
 */
int ktrace_traceset_reopen(const struct ktrace_traceset *set,
			   const struct ktrace_traceset_options *opts,
			   struct ktrace_traceset **out);

/**
 * ktrace_traceset_next - read the next event
 *
 * Return: 1, 0 at the end (with is_live: for now), -ENOMEM.
 */
int ktrace_traceset_next(struct ktrace_traceset *set, struct ktrace_trace_event *event);

/**
 * ktrace_traceset_read - read the next events, as many as are available
 * @set:	the traceset
 * @events:	out: the events
 * @max:	size of @events in entries
 *
 * Delivers the same events as repeated calls of ktrace_traceset_next(), faster. May deliver fewer
 * than @max although more follow.
 *
 * Return: number of events, 0 at the end (with is_live: for now), -ENOMEM, -EINVAL for a @max below
 * 1.
 */
int ktrace_traceset_read(struct ktrace_traceset *set, struct ktrace_trace_event *events, int max);

/**
 * ktrace_traceset_seek - seek to the first event whose time is @time or later
 *
 * Sets each stream to its first such event, found by binary search over its blocks. Losses before
 * that point are not delivered again. Thread names from skipped events may be missing. An event
 * with some fragments before @time is complete if its first fragment is found: see
 * ktrace_traceset_scattered().
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_traceset_seek(struct ktrace_traceset *set, __u64 time);

/**
 * ktrace_traceset_poll - check whether the files have grown
 *
 * After the end was reached, ktrace_traceset_next() then delivers the new events.
 *
 * Return: number of new sections, -ENOMEM, or -errno of read(2).
 */
int ktrace_traceset_poll(struct ktrace_traceset *set);

/**
 * ktrace_traceset_span - get the times of the earliest and the latest event
 *
 * Both are 0 if there are no events. The latest time comes from block headers.
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_traceset_span(struct ktrace_traceset *set, __u64 *start, __u64 *end);

/**
 * ktrace_traceset_scattered - count complete events that a seek may not find the start of
 *
 * Their fragments are on several streams, or between records of other threads at the beginning of a
 * block, or in more than 1024 blocks. After a seek to a time between the fragments, such an event
 * may be delivered as KTRACE_EVENT_NO_START, in parts.
 */
__u64 ktrace_traceset_scattered(const struct ktrace_traceset *set);

/** ktrace_traceset_stats - get the statistics so far */
void ktrace_traceset_stats(const struct ktrace_traceset *set,
			   struct ktrace_traceset_stats *stats);

/**
 * ktrace_lost_name - get the name of a reason of loss
 * @reason:	enum ktrace_lost_reason
 *
 * Return: the name, as in events "ktrace:lost"; NULL for an invalid reason.
 */
const char *ktrace_lost_name(__u32 reason);

/** ktrace_traceset_trace - get trace number @i, NULL after the last */
const struct ktrace_trace *ktrace_traceset_trace(const struct ktrace_traceset *set, size_t i);

/**
 * ktrace_traceset_host - get the host of a trace, which is one boot of a machine
 * @set:	the traceset
 * @i:		number of the trace
 *
 * Return: the number of the first trace of the same host. A trace that does not name its boot is of
 * a host of its own.
 */
size_t ktrace_traceset_host(const struct ktrace_traceset *set, size_t i);

/** ktrace_trace_path - get the name of the file, or of the first of its parts */
const char *ktrace_trace_path(const struct ktrace_trace *trace);

/** ktrace_trace_index - get the number of the trace in its set */
size_t ktrace_trace_index(const struct ktrace_trace *trace);

/** ktrace_trace_size - get the bytes read so far of the file or all its parts */
__u64 ktrace_trace_size(const struct ktrace_trace *trace);

/**
 * struct ktrace_part - one of the files of a trace
 * @path:	its name
 * @number:	part number, from 1; 0 = the file is the whole trace
 * @size:	size in bytes as read so far
 * @is_closed:	true if it has its end mark
 */
struct ktrace_part {
	const char *path;
	__u32 number;
	__u64 size;
	bool is_closed;
};

/** ktrace_trace_part - get file number @i of a trace, by part number; false after the last */
bool ktrace_trace_part(const struct ktrace_trace *trace, size_t i, struct ktrace_part *part);

/**
 * struct ktrace_storage - how the blocks of a file are stored
 * @blocks:	number of blocks
 * @compressed:	number of compressed blocks
 * @bytes:	size of all block bodies as they were in the rings
 * @stored:	size of the same bodies in the file
 */
struct ktrace_storage {
	__u64 blocks;
	__u64 compressed;
	__u64 bytes;
	__u64 stored;
};

/**
 * ktrace_trace_storage - sum up how the blocks of a file are stored
 *
 * Reads the block headers, as the index lacks this. Skips damaged ones.
 */
void ktrace_trace_storage(const struct ktrace_trace *trace, struct ktrace_storage *out);

/** ktrace_trace_is_closed - true if the file, or each of its parts, has its end mark */
bool ktrace_trace_is_closed(const struct ktrace_trace *trace);

/**
 * ktrace_trace_meta - get a value from the META lines trace, host, part or end
 *
 * Return: the latest value, NULL if there is none.
 */
const char *ktrace_trace_meta(const struct ktrace_trace *trace, const char *keyword,
			      const char *key);

/** ktrace_trace_stream - get stream number @i in order of id, NULL after the last */
const struct ktrace_trace_stream *ktrace_trace_stream(const struct ktrace_trace *trace, size_t i);

/** ktrace_trace_types - get the number of ids of @kind that may have an event type */
__u32 ktrace_trace_types(const struct ktrace_trace *trace, __u32 kind);

/**
 * ktrace_trace_counts - get how many events the files say they have, by stream and type
 * @trace:	the trace
 * @out:	out: a list in order of stream and id, without flags; to be freed with free(3)
 *
 * ktraced writes them at the end of each file. They are a claim of the file, and never depend on
 * events that were not read yet.
 *
 * Return: number of entries; -ENOENT if a file does not have them or is not closed, or if reading
 * would find something else, as events were lost or consist of fragments; -ENOMEM.
 */
long ktrace_trace_counts(const struct ktrace_trace *trace, struct ktrace_count **out);

/** ktrace_trace_type - get the type of an event, NULL if not described */
const struct ktrace_event_type *ktrace_trace_type(const struct ktrace_trace *trace, __u32 kind,
						  __u32 id);

/**
 * ktrace_trace_comm - get the name of a thread at a time
 * @trace:	the trace
 * @tid:	thread
 * @raw:	stamp
 *
 * Names come from the file's META lines and, while events are read, from the kernel events fork,
 * exec, comm, exit, switch and wakeup. Skipped events do not update names.
 *
 * Return: the name, not checked for control characters; NULL if unknown.
 */
const char *ktrace_trace_comm(const struct ktrace_trace *trace, __u32 tid, __u64 raw);

/** ktrace_trace_pid - get the process of a thread at a time, 0 = unknown */
__u32 ktrace_trace_pid(const struct ktrace_trace *trace, __u32 tid, __u64 raw);

/** ktrace_trace_thread - get the name of a thread and in @pid its process */
const char *ktrace_trace_thread(const struct ktrace_trace *trace, __u32 tid, __u64 raw,
				__u32 *pid);

/**
 * struct ktrace_map - a mapping of a file's code in a process
 * @start:	first address
 * @end:	first address after it
 * @offset:	file offset of @start
 * @path:	path as seen by the process, followed by " (deleted)" if it was deleted; NULL = none
 * @build:	the file's build id in hexadecimal, NULL = unknown
 *
 * Reported by the traced process; not necessarily true.
 */
struct ktrace_map {
	__u64 start;
	__u64 end;
	__u64 offset;
	const char *path;
	const char *build;
};

/**
 * ktrace_trace_map - find the code mapped by a process at an address
 * @trace:	the trace
 * @pid:	process
 * @raw:	stamp
 * @address:	the address
 *
 * Return: the mapping, valid until the next call with this traceset; NULL if unknown.
 */
const struct ktrace_map *ktrace_trace_map(const struct ktrace_trace *trace, __u32 pid, __u64 raw,
					  __u64 address);

/**
 * ktrace_trace_map_below - find the code mapped at an address, or the nearest below it
 * @trace:	the trace
 * @pid:	process
 * @raw:	stamp
 * @address:	the address
 *
 * Variables of a program or library come after its code, with nothing else in between.
 *
 * Return: as ktrace_trace_map().
 */
const struct ktrace_map *ktrace_trace_map_below(const struct ktrace_trace *trace, __u32 pid,
						__u64 raw, __u64 address);

/**
 * struct ktrace_image - the program that a process ran at a time
 * @pid:	the process, 0 = unknown
 * @begin:	stamp of its start, by fork or exec, or when it was first seen; 0 = unknown
 * @until:	stamp from which the answer may change; ~0 = never
 */
struct ktrace_image {
	__u32 pid;
	__u64 begin;
	__u64 until;
};

/** ktrace_trace_image - find what @tid ran at stamp @raw; only META tells when that began */
void ktrace_trace_image(const struct ktrace_trace *trace, __u32 tid, __u64 raw,
			struct ktrace_image *out);

/**
 * struct ktrace_choice - the events recorded from a time until the next choice
 * @raw:	stamp
 * @levels:	levels of the events pthread:*, as in ktraced --level; NULL = all
 * @events:	as in ktraced -e, without the parts in braces; NULL = all events of programs
 * @filters:	entries of @events that have a part in braces, with that part; NULL = none
 * @where:	as in ktraced --filter; NULL = all
 */
struct ktrace_choice {
	__u64 raw;
	const char *levels;
	const char *events;
	const char *filters;
	const char *where;
};

/** ktrace_trace_choice - get choice number @i in the order of the file; false after the last */
bool ktrace_trace_choice(const struct ktrace_trace *trace, size_t i, struct ktrace_choice *out);

/**
 * struct ktrace_correction - what the clock of another host showed at a stamp of a trace
 * @raw:	the stamp
 * @time:	time at @raw by the other host, ns since the epoch
 * @early_ns:	the true time may be earlier by this much; ~0 = it is not known
 * @late_ns:	the true time may be later by this much; ~0 = it is not known
 */
struct ktrace_correction {
	__u64 raw;
	__u64 time;
	__u64 early_ns;
	__u64 late_ns;
};

/**
 * ktrace_traceset_correct - let the times of a trace be those of another host's clock
 * @set:	the traceset, before its first event is read
 * @trace:	number of the trace
 * @knots:	in order of stamps; times may not descend. Between them time runs evenly, before the
 *		first and after the last one as in the neighbouring part
 * @nr:		number of knots, at least two; 0 = the trace's own clock again
 *
 * All times of the trace follow: order, seeks, ktrace_trace_time(), ktrace_trace_wall(). Times of a
 * trace that grows do, too, by the last two knots. Requirements LTTV-81, LTTV-83.
 *
 * Return: 0, -EBUSY once reading has begun, -EINVAL for knots out of order or too few or a trace
 * that does not exist, -ENOMEM. After an error the trace is as before.
 */
int ktrace_traceset_correct(struct ktrace_traceset *set, size_t trace,
			    const struct ktrace_correction *knots, size_t nr);

/**
 * ktrace_traceset_set_reference - say that a trace has the clock that others are corrected to
 * @set:	the traceset
 * @trace:	number of the trace
 *
 * Its times stay as they are, and their error is 0.
 *
 * Return: 0, -EINVAL for a trace that does not exist.
 */
int ktrace_traceset_set_reference(struct ktrace_traceset *set, size_t trace);

/**
 * ktrace_traceset_correct_as - let times be those that another traceset has
 * @set:	the traceset, before its first event is read
 * @other:	one with the same traces in the same order, as for ktrace_traceset_reopen()
 *
 * Return: 0, -EBUSY once reading has begun, -EINVAL for another number of traces, -ENOMEM.
 */
int ktrace_traceset_correct_as(struct ktrace_traceset *set, const struct ktrace_traceset *other);

/**
 * struct ktrace_time_error - an interval that contains the true time
 * @early_ns:	from this much before the time
 * @late_ns:	to this much after it
 */
struct ktrace_time_error {
	__u64 early_ns;
	__u64 late_ns;
};

/**
 * ktrace_trace_error - get the error of the time at a stamp, relative to the reference host
 * @trace:	the trace
 * @raw:	the stamp
 * @out:	the interval; between knots of the correction the larger one of both
 *
 * Two events of different traces are in a known order only if their intervals do not overlap.
 *
 * Return: false if the error is not known, because the trace was not corrected or the knots do not
 * say it.
 */
bool ktrace_trace_error(const struct ktrace_trace *trace, __u64 raw, struct ktrace_time_error *out);

/** ktrace_trace_has_errors - true if the error of some of the trace's times is known */
bool ktrace_trace_has_errors(const struct ktrace_trace *trace);

/** ktrace_trace_is_corrected - true after ktrace_traceset_correct() */
bool ktrace_trace_is_corrected(const struct ktrace_trace *trace);

/** ktrace_trace_time - convert stamp @raw to the time of an event */
__u64 ktrace_trace_time(const struct ktrace_trace *trace, __u64 raw);

/** ktrace_trace_wall - convert a stamp to wall clock time in ns, including steps */
__u64 ktrace_trace_wall(const struct ktrace_trace *trace, __u64 raw);

/**
 * struct ktrace_trace_process - a process begins, executes another program, or ends
 * @raw:	stamp from which this is valid
 * @pid:	its id
 * @ppid:	its parent's id, 0 = unknown
 * @is_fork:	it is the child of a fork and inherits what its parent had then
 */
struct ktrace_trace_process {
	__u64 raw;
	__u32 pid;
	__u32 ppid;
	bool is_fork;
};

/**
 * ktrace_trace_process - get entry number @i about processes in the file's META lines
 *
 * The order is that of the lines, not necessarily that of @raw.
 *
 * Return: valid until the next call of ktrace_traceset_poll(); NULL after the last.
 */
const struct ktrace_trace_process *ktrace_trace_process(const struct ktrace_trace *trace, size_t i);

/**
 * struct ktrace_trace_ids - ids of processes and threads in another pid namespace
 * @first:	the first id, above all ids of any kernel
 * @nr:		number of ids
 * @inner:	number of the first one in that namespace
 * @space:	inode of the namespace, 0 = unknown
 */
struct ktrace_trace_ids {
	__u32 first;
	__u32 nr;
	__u32 inner;
	__u64 space;
};

/** ktrace_trace_ids - get range number @i in the file; false after the last */
bool ktrace_trace_ids(const struct ktrace_trace *trace, size_t i, struct ktrace_trace_ids *out);

/**
 * struct ktrace_clock_info - conversion of stamps to time
 * @readings:	number of clock readings
 * @hz:		frequency of stamps, from the readings if there are at least two
 * @clock:	"tsc", "monotonic", or NULL
 * @rejected:	readings not used because they contradict others
 * @sets:	number of wall clock steps between readings
 * @set_ns:	largest step; less than a millisecond does not count
 * @zero_ns:	time of CLOCK_MONOTONIC 0, ns since the epoch; 0 = unknown
 */
struct ktrace_clock_info {
	__u64 readings;
	__u64 hz;
	const char *clock;
	__u64 rejected;
	__u64 sets;
	__u64 set_ns;
	__u64 zero_ns;
};

/** ktrace_trace_clock - get the conversion of stamps to time */
void ktrace_trace_clock(const struct ktrace_trace *trace, struct ktrace_clock_info *info);

#pragma GCC visibility pop
#ifdef __cplusplus
}

/* The same for callers with uint64_t, which in C++ is another type than __u64 */
static inline int ktrace_traceset_span(struct ktrace_traceset *set, uint64_t *start, uint64_t *end)
{
	__u64 from = 0, to = 0;
	int error = ktrace_traceset_span(set, &from, &to);

	*start = from;
	*end = to;
	return error;
}
#endif

#endif
