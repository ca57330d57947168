/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * traceset.h - reading any number of tracefiles as one sequence of events
 *
 * Order: an event comes before another if its key (time, stream id, number of the
 * trace) is smaller. The events of one stream always keep the order of the file: one
 * whose stamp goes backwards is delivered where it stands and flagged.
 *
 * Time is in ns since the epoch and never goes back with rising stamps: the wall clock
 * when the recording began plus what CLOCK_MONOTONIC has counted since, so that a step
 * of the wall clock is not seen. Traces of the same boot share one offset and so are
 * ordered by the one clock they share.
 *
 * Files may be damaged, hostile, cut off or growing. What is wrong is reported with
 * its place and stepped over, the rest is delivered. Memory: one block for each stream,
 * 16 bytes for each section, names and event types; see also enum ktrace_cores.
 *
 * Functions return 0 (or a count) or -errno. A traceset is used by one thread.
 */
#ifndef KTRACE_TRACESET_H
#define KTRACE_TRACESET_H

#include <ktrace/damage.h>
#include <ktrace/decode.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_traceset;
struct ktrace_trace;

/**
 * enum ktrace_cores - a second core for reading: see struct ktrace_traceset_options
 * @KTRACE_CORES_ONE:	no: the calling thread does it all; the default
 * @KTRACE_CORES_AUTO:	where the process may use one, and when much is read in a row
 * @KTRACE_CORES_TWO:	always, as tests want it
 *
 * Then one thread of the library loads blocks ahead of those that are being read. It has all
 * signals blocked, calls nothing of the program's, @report included, uses no more than a few
 * MiB and a block for each stream, and ends with ktrace_traceset_close(). A child of fork(2)
 * has no such thread, and reads on without.
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
 * @is_live:	the end of a file that was not closed is not final: see
 *		ktrace_traceset_poll(). Once all are closed it is as without
 * @cores:	may a thread of the library's own read ahead? What is read is the same
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
 * @id:		as in the file
 * @kind:	enum ktrace_channel_kind, KTRACE_KIND_UNKNOWN if the file does not say
 * @cpu:	CPU number, -1 for a thread's ring
 * @block_size:	bytes, 0 if the file does not say
 * @policy:	enum ktrace_policy, KTRACE_POLICY_NR if the file does not say
 * @ring_size:	bytes, 0 if the file does not say
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
	KTRACE_EVENT_TRUNCATED = 1 << 0,	/* the event's own maximum cut it */
	KTRACE_EVENT_INCOMPLETE = 1 << 1,	/* fragments are missing at the end */
	KTRACE_EVENT_NO_START = 1 << 2,		/* fragments are missing at the beginning */
	KTRACE_EVENT_IRQ = 1 << 3,		/* recorded in interrupt context */
	KTRACE_EVENT_CRITICAL = 1 << 4,
	KTRACE_EVENT_BACKWARDS = 1 << 5,	/* stamp below its predecessor's */
	KTRACE_EVENT_CONTEXT = 1 << 6,		/* see ktrace/context.h; upper 8 bits: items */
};

/**
 * struct ktrace_trace_event - one event
 * @time:	ns since the epoch, see above
 * @raw:	stamp as recorded
 * @type:	NULL if the file does not describe it
 * @stream:	where it comes from
 * @payload:	@len bytes, valid until the next call that takes the traceset
 * @len:	bytes of payload
 * @tid:	thread
 * @flags:	enum ktrace_event_flag
 * @id:		KTRACE_ID_LOST: type "ktrace:lost", fields reason and count; else as
 *		in the file
 *
 * A fragmented event has time and stamp of its last fragment. If fragments are missing,
 * @raw is the stamp of the last one that came, and @time when it was known that no more
 * will come: the next record of the thread, or the end of all files. So time does not
 * go back.
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
 * struct ktrace_traceset_stats - what reading has met so far
 * @events:	delivered, "ktrace:lost" not counted
 * @backwards:	of these, stamp below the predecessor's
 * @blocks:	blocks loaded, for seeks as well
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
 * ktrace_traceset_open - an empty traceset
 *
 * Return: 0, -ENOMEM, -EINVAL for opts of an unknown size, or unknown cores.
 */
int ktrace_traceset_open(const struct ktrace_traceset_options *opts, struct ktrace_traceset **out);

/** ktrace_traceset_close - free everything; NULL is allowed */
void ktrace_traceset_close(struct ktrace_traceset *set);

/**
 * ktrace_traceset_add - add a file
 *
 * What is wrong is reported too. After a failure the traceset is as before. The parts of a
 * recording that is in several files are one trace, in whatever order they are added; what was
 * got from that trace before is not valid any more. With is_live and KTRACE_CORES_ONE, the part
 * that follows the last one may be added while events are read: they go on in it.
 *
 * Return: 0, -EBUSY once reading has begun but for such a part, -EBADMSG not a tracefile, -EEXIST a
 * part that is there already, -EPROTONOSUPPORT another version or byte order, -ENOMEM, or -errno of
 * open(2) or read(2).
 */
int ktrace_traceset_add(struct ktrace_traceset *set, const char *path);

/**
 * ktrace_traceset_add_fd - add a file that is open
 * @set:	the traceset
 * @fd:		open for reading; it stays the caller's, and may be closed afterwards
 * @path:	what the file is called in messages
 *
 * Return: as ktrace_traceset_add(), with errors of fcntl(2) instead of open(2).
 */
int ktrace_traceset_add_fd(struct ktrace_traceset *set, int fd, const char *path);

/**
 * ktrace_traceset_next - the next event
 *
 * Return: 1, 0 at the end (with is_live: for now), -ENOMEM.
 */
int ktrace_traceset_next(struct ktrace_traceset *set, struct ktrace_trace_event *event);

/**
 * ktrace_traceset_read - the next events, as many as are at hand
 * @set:	the traceset
 * @events:	where they go
 * @max:	room for so many
 *
 * Delivers what as many calls of ktrace_traceset_next() would, faster. There may be fewer
 * than @max with more to come.
 *
 * Return: how many, 0 at the end (with is_live: for now), -ENOMEM, -EINVAL for a @max
 * below 1.
 */
int ktrace_traceset_read(struct ktrace_traceset *set, struct ktrace_trace_event *events, int max);

/**
 * ktrace_traceset_seek - go to the first event whose time is @time or later
 *
 * Each stream is put on its first such event, found by binary search over its blocks.
 * Losses before that point are not delivered again. Names of threads that earlier
 * events would have told may be missing. An event in fragments, of which some lie before
 * @time, is whole if its first one is found: see ktrace_traceset_scattered().
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_traceset_seek(struct ktrace_traceset *set, __u64 time);

/**
 * ktrace_traceset_poll - look whether the files have grown
 *
 * After the end was reached, new events are delivered by ktrace_traceset_next().
 *
 * Return: number of new sections, -ENOMEM, or -errno of read(2).
 */
int ktrace_traceset_poll(struct ktrace_traceset *set);

/**
 * ktrace_traceset_span - time of the earliest and of the latest event
 *
 * Both are 0 if there are none. The latest is what block headers say.
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_traceset_span(struct ktrace_traceset *set, __u64 *start, __u64 *end);

/**
 * ktrace_traceset_scattered - how many events delivered whole a seek may not find the start of
 *
 * Their fragments lie on several streams, or between records of other threads at the
 * beginning of a block, or in more than 1024 blocks. After a seek to a time between the
 * fragments such an event may be delivered as KTRACE_EVENT_NO_START, in parts.
 */
__u64 ktrace_traceset_scattered(const struct ktrace_traceset *set);

/** ktrace_traceset_stats - see the struct */
void ktrace_traceset_stats(const struct ktrace_traceset *set,
			   struct ktrace_traceset_stats *stats);

/**
 * ktrace_lost_name - what a reason of loss is called
 * @reason:	enum ktrace_lost_reason
 *
 * Return: the name, as in events "ktrace:lost"; NULL if there is no such reason.
 */
const char *ktrace_lost_name(__u32 reason);

/** ktrace_traceset_trace - trace number @i, NULL behind the last */
const struct ktrace_trace *ktrace_traceset_trace(const struct ktrace_traceset *set, size_t i);

/** ktrace_trace_path - name of the file, or of the first of its parts */
const char *ktrace_trace_path(const struct ktrace_trace *trace);

/** ktrace_trace_index - number of the trace in its set */
size_t ktrace_trace_index(const struct ktrace_trace *trace);

/** ktrace_trace_size - bytes of the file that were looked at, or of all its parts */
__u64 ktrace_trace_size(const struct ktrace_trace *trace);

/**
 * struct ktrace_part - one of the files of a trace
 * @path:	its name
 * @number:	which part it is, from 1 on; 0 = the file has the whole trace
 * @size:	bytes that were looked at
 * @is_closed:	it has its end mark
 */
struct ktrace_part {
	const char *path;
	__u32 number;
	__u64 size;
	bool is_closed;
};

/** ktrace_trace_part - file number @i of a trace, by rising numbers; false behind the last */
bool ktrace_trace_part(const struct ktrace_trace *trace, size_t i, struct ktrace_part *part);

/**
 * struct ktrace_storage - how the blocks of a file are stored
 * @blocks:	how many there are
 * @compressed:	how many of them are compressed
 * @bytes:	bytes of their bodies as they were in the rings
 * @stored:	the same as they are in the file
 */
struct ktrace_storage {
	__u64 blocks;
	__u64 compressed;
	__u64 bytes;
	__u64 stored;
};

/**
 * ktrace_trace_storage - how the blocks of a file are stored
 *
 * Reads their headers, of which the index does not tell. A damaged one is left out.
 */
void ktrace_trace_storage(const struct ktrace_trace *trace, struct ktrace_storage *out);

/** ktrace_trace_is_closed - does the file, or each of its parts, have its end mark? */
bool ktrace_trace_is_closed(const struct ktrace_trace *trace);

/**
 * ktrace_trace_meta - a fact from a META line trace, host, part or end
 *
 * Return: the latest value, NULL if there is none.
 */
const char *ktrace_trace_meta(const struct ktrace_trace *trace, const char *keyword,
			      const char *key);

/** ktrace_trace_stream - stream number @i in order of id, NULL behind the last */
const struct ktrace_trace_stream *ktrace_trace_stream(const struct ktrace_trace *trace, size_t i);

/** ktrace_trace_types - number of ids of @kind that may have an event type */
__u32 ktrace_trace_types(const struct ktrace_trace *trace, __u32 kind);

/** ktrace_trace_type - type of an event, NULL if not described */
const struct ktrace_event_type *ktrace_trace_type(const struct ktrace_trace *trace, __u32 kind,
						  __u32 id);

/**
 * ktrace_trace_comm - name of a thread at a time
 * @trace:	the trace
 * @tid:	thread
 * @raw:	stamp
 *
 * Names come from the file's META lines and, while events are read, from the kernel
 * events fork, exec, comm, exit, switch and wakeup. What is passed over tells nothing.
 *
 * Return: the name, not checked for control characters; NULL if not known.
 */
const char *ktrace_trace_comm(const struct ktrace_trace *trace, __u32 tid, __u64 raw);

/** ktrace_trace_pid - process of a thread at a time, 0 = not known */
__u32 ktrace_trace_pid(const struct ktrace_trace *trace, __u32 tid, __u64 raw);

/** ktrace_trace_thread - both at once: the name, and in @pid the process */
const char *ktrace_trace_thread(const struct ktrace_trace *trace, __u32 tid, __u64 raw,
				__u32 *pid);

/**
 * struct ktrace_map - code of a file in the memory of a process
 * @start:	first address
 * @end:	behind the last
 * @offset:	in the file, of @start
 * @path:	of the file as the process saw it, " (deleted)" behind it if it was; NULL = none
 * @build:	the file's build id in hexadecimal, NULL = not known
 *
 * As the traced process said it; it need not be true.
 */
struct ktrace_map {
	__u64 start;
	__u64 end;
	__u64 offset;
	const char *path;
	const char *build;
};

/**
 * ktrace_trace_map - what code a process had at an address
 * @trace:	the trace
 * @pid:	process
 * @raw:	stamp
 * @address:	the address
 *
 * Return: the mapping, valid until the next call that takes the traceset; NULL if not known.
 */
const struct ktrace_map *ktrace_trace_map(const struct ktrace_trace *trace, __u32 pid, __u64 raw,
					  __u64 address);

/**
 * ktrace_trace_map_below - what code a process had at an address, or last before it
 * @trace:	the trace
 * @pid:	process
 * @raw:	stamp
 * @address:	the address
 *
 * Variables of a program or library lie behind its code, and what is between is nobody else's.
 *
 * Return: as ktrace_trace_map().
 */
const struct ktrace_map *ktrace_trace_map_below(const struct ktrace_trace *trace, __u32 pid,
						__u64 raw, __u64 address);

/**
 * struct ktrace_image - the program that a process ran at a time
 * @pid:	the process, 0 = not known
 * @begin:	stamp at which it began to: by fork or exec, or when it was found; 0 = not known
 * @until:	stamp from which on the answer may be another; ~0 = none
 */
struct ktrace_image {
	__u32 pid;
	__u64 begin;
	__u64 until;
};

/** ktrace_trace_image - what thread @tid ran at stamp @raw; META alone tells when that began */
void ktrace_trace_image(const struct ktrace_trace *trace, __u32 tid, __u64 raw,
			struct ktrace_image *out);

/**
 * struct ktrace_choice - which events are recorded, from a time on until the next choice
 * @raw:	stamp
 * @levels:	of the events pthread:*, as ktraced --level has them; NULL = all
 * @events:	as ktraced -e, without what is in braces; NULL = all of programs
 * @filters:	of these entries those that have something in braces, with it; NULL = none
 * @where:	as ktraced --where; NULL = all
 */
struct ktrace_choice {
	__u64 raw;
	const char *levels;
	const char *events;
	const char *filters;
	const char *where;
};

/** ktrace_trace_choice - choice number @i in the order of the file; false behind the last */
bool ktrace_trace_choice(const struct ktrace_trace *trace, size_t i, struct ktrace_choice *out);

/** ktrace_trace_time - the time that an event with stamp @raw would have */
__u64 ktrace_trace_time(const struct ktrace_trace *trace, __u64 raw);

/** ktrace_trace_wall - wall clock at a stamp in ns, its steps included */
__u64 ktrace_trace_wall(const struct ktrace_trace *trace, __u64 raw);

/**
 * struct ktrace_trace_process - a process begins, or another program in it, or it has ended
 * @raw:	stamp: from then on
 * @pid:	its id
 * @ppid:	its parent's, 0 = not known
 * @is_fork:	it is the child of a fork, and has what its parent had then
 */
struct ktrace_trace_process {
	__u64 raw;
	__u32 pid;
	__u32 ppid;
	bool is_fork;
};

/**
 * ktrace_trace_process - number @i of what the file's META lines say of processes
 *
 * In their order, which need not be that of @raw.
 *
 * Return: valid until the next call of ktrace_traceset_poll(); NULL behind the last.
 */
const struct ktrace_trace_process *ktrace_trace_process(const struct ktrace_trace *trace, size_t i);

/**
 * struct ktrace_trace_ids - ids of processes and threads that are in another pid namespace
 * @first:	the first of them, above all ids of any kernel
 * @nr:		how many
 * @inner:	number of the first one there
 * @space:	inode of the namespace, 0 = not known
 */
struct ktrace_trace_ids {
	__u32 first;
	__u32 nr;
	__u32 inner;
	__u64 space;
};

/** ktrace_trace_ids - number @i of them in the file; false behind the last */
bool ktrace_trace_ids(const struct ktrace_trace *trace, size_t i, struct ktrace_trace_ids *out);

/**
 * struct ktrace_clock_info - how stamps become time
 * @readings:	number of clock readings
 * @hz:		frequency of stamps, from the readings if there are two
 * @clock:	"tsc", "monotonic", or NULL
 * @rejected:	readings that contradict others, and are not used
 * @sets:	how often the wall clock was set between readings
 * @set_ns:	by how much at most; less than a millisecond counts as none
 * @zero_ns:	time, ns since the epoch, when CLOCK_MONOTONIC was 0; 0 = not known
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

/** ktrace_trace_clock - see the struct */
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
