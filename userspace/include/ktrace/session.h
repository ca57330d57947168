/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * session.h - owning a session: its channels, switches, streams and registry
 *
 * A session is made, started, read and stopped by one process, its owner, in one
 * thread at a time. Where the rings live depends on the back end (/dev/ktrace or
 * shared memory); everything below is the same for both. Writers notice when the
 * owner dies.
 *
 *   create -> enable, follow -> start -> peek/advance, registry ... -> stop -> destroy
 *
 * int functions return 0 (or a count) or -errno and print nothing. Everything that
 * comes out of a user channel was written by the traced programs: it is within
 * bounds, but it need not be true.
 */
#ifndef KTRACE_SESSION_H
#define KTRACE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/ktrace.h>
#include <linux/ktrace_context.h>
#include <linux/ktrace_events.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct ktrace_session;

enum ktrace_backend {
	KTRACE_BACKEND_AUTO = 0,	/* the device when it can be used */
	KTRACE_BACKEND_DEV = 1,
	KTRACE_BACKEND_SHM = 2,
};

/**
 * struct ktrace_session_options - what a session is to be like
 * @size:	sizeof(struct ktrace_session_options)
 * @backend:	enum ktrace_backend
 * @kernel:	a kernel channel is wanted
 * @policy:	enum ktrace_policy; BLOCK becomes DROP for the kernel channel
 * @ring_size:	bytes of each per-CPU ring, power of two
 * @thread_size: bytes of each thread ring, power of two
 * @registry_size: multiple of 4096; one of 1 MiB or more grows to 16 times that in shared memory
 * @block_size:	power of two, KTRACE_BLOCK_MIN to KTRACE_BLOCK_MAX
 * @thread_nr:	number of thread rings
 * @timeout_ms:	BLOCK: longest wait of a writer
 * @filter:	user events that start enabled, as ktrace_control.filter_off; NULL = all
 */
struct ktrace_session_options {
	size_t size;
	int backend;
	bool kernel;
	__u32 policy;
	__u64 ring_size;
	__u64 thread_size;
	__u64 registry_size;
	__u32 block_size;
	__u32 thread_nr;
	__u32 timeout_ms;
	const char *filter;
};

/* The last reason of a choice, for people. */
#define KTRACE_REASON_SIZE 256

/**
 * struct ktrace_session_info - what a session turned out to be
 * @backend:	"dev" or "shm"
 * @reason:	why not the other back end; empty when it was asked for
 * @kernel_error: 0, or why there is no kernel channel though it was wanted (-errno)
 * @refused:	dev: attachments of programs whose users held too much memory of others' sessions
 * @env:	value of KTRACE_SESSION for the programs to be traced
 * @clock:	enum ktrace_clock
 * @has_kernel:	there is a kernel channel
 * @followed:	dev: live processes in the process-tree filter
 * @is_damaged:	shm: see ktrace_session_mend()
 * @lost_noring: dev: kernel events on CPUs that have come and found no memory for a ring
 */
struct ktrace_session_info {
	const char *backend;
	const char *reason;
	int kernel_error;
	__u32 refused;
	const char *env;
	__u32 clock;
	bool has_kernel;
	__u32 followed;
	bool is_damaged;
	__u64 lost_noring;
};

/**
 * ktrace_session_create - make a session, suspended
 * @opts:	what it is to be like
 * @out:	the session, there before its memory is touched: ktrace_session_mend() may be
 *		called from then on. NULL after a failure
 * @reason:	KTRACE_REASON_SIZE bytes: what failed, for people; may be NULL
 *
 * Return: 0; -EINVAL for sizes that do not fit together; -ENOMEM or -ENOSPC when the
 * memory is not there; otherwise what opening the back end gave, e.g. -ENOENT, -EACCES.
 */
int ktrace_session_create(const struct ktrace_session_options *opts,
			  struct ktrace_session **out, char *reason);

/**
 * ktrace_session_destroy - close the channels for good and free everything
 * @s:		the session or NULL
 *
 * Writers that are still attached see KTRACE_STATE_CLOSED.
 */
void ktrace_session_destroy(struct ktrace_session *s);

/**
 * ktrace_session_mend - put an empty page where the session's memory has gone
 * @s:		the session
 * @addr:	what was being accessed, as SIGBUS says it
 *
 * For a handler of SIGBUS: every program of a session in shared memory can cut off its
 * file. Where the page belonged to a ring it is counted as KTRACE_LOST_CORRUPT there.
 *
 * Context: any signal handler.
 * Return: whether the access can be repeated. False: not the session's memory.
 */
bool ktrace_session_mend(struct ktrace_session *s, void *addr);

/**
 * ktrace_session_leave - give up a session as if its owner had died
 * @s:		the session or NULL
 *
 * What was not consumed can be saved by who adopts it. Nobody records into a session that
 * was adopted before.
 */
void ktrace_session_leave(struct ktrace_session *s);

/**
 * ktrace_session_forget - in a forked child: free what it has of its parent's session
 * @s:		the session or NULL
 *
 * The parent's goes on as it is.
 */
void ktrace_session_forget(struct ktrace_session *s);

/**
 * ktrace_session_area - the registry's memory, for an owner whose writers use it otherwise
 * @s:		the session
 * @size:	out: bytes
 *
 * As in <ktrace/channel.h>. Writers can change it at any time.
 */
const void *ktrace_session_area(const struct ktrace_session *s, size_t *size);

/**
 * ktrace_session_set_note - what is to be known about the session when its owner has died
 * @s:		the session
 * @text:	for ktrace_session_note()
 *
 * Return: 0, -E2BIG for a text that does not fit.
 */
int ktrace_session_set_note(struct ktrace_session *s, const char *text);

/**
 * ktrace_session_note - the text of the note
 * @s:		the session
 *
 * Return: a copy, to be freed, empty if there is none; NULL without memory.
 */
char *ktrace_session_note(const struct ktrace_session *s);

/**
 * ktrace_cpu_limit - numbers of all CPUs that the machine has, or may get, are below this
 *
 * It may be more than there are: some numbers may be missing.
 */
__u32 ktrace_cpu_limit(void);

/**
 * ktrace_memory_available - how much memory can be allocated without the OOM killer acting
 *
 * Return: bytes, of the machine or of the control groups of this process; ~0 = not known.
 */
__u64 ktrace_memory_available(void);

/** ktrace_session_id - the number that its name has */
__u64 ktrace_session_id(const struct ktrace_session *s);

/** ktrace_session_info - ask the back end; strings live as long as the session; 0 or -errno */
int ktrace_session_info(struct ktrace_session *s, struct ktrace_session_info *info);

/**
 * ktrace_session_enable - switch an event on or off
 * @s:		the session
 * @kind:	enum ktrace_channel_kind
 * @id:		event id
 * @on:		on or off
 *
 * Return: 0, -ENOENT without such a channel, -EINVAL for an id it does not have.
 */
int ktrace_session_enable(struct ktrace_session *s, __u32 kind, __u16 id, bool on);

/**
 * ktrace_session_filter - which events of a type the kernel records
 * @s:		the session
 * @filter:	the event's id, and a program; <ktrace/kernel_filter.h> makes them
 *
 * Return: 0, -ENOENT without a kernel channel, -EINVAL no such event, or no program,
 * -EOPNOTSUPP this kernel cannot produce it, -EDQUOT, -ENOMEM; -ENOTTY an older module.
 */
int ktrace_session_filter(struct ktrace_session *s, const struct ktrace_kernel_filter *filter);

/**
 * ktrace_session_select - which user events are on from now on
 * @s:		the session
 * @filter:	as ktrace_session_options.filter; NULL = all
 *
 * Of those that are known, at once, whatever ktrace_session_enable() said of them before.
 * Of those that programs register later, those that match start enabled. The choice holds
 * for an event from the ktrace_registry_next() on that delivers it: until then what its
 * program made of the filter does, which may have changed while it looked.
 *
 * Return: 0, -ENOENT without a user channel, -EINVAL for a filter that is too long.
 */
int ktrace_session_select(struct ktrace_session *s, const char *filter);

/**
 * ktrace_session_tracepoint - give an event of the kernel's own an id, to be enabled
 * @s:		the session
 * @number:	the kernel's: the file "id" beside the event's "format" in tracefs
 * @id:		out: for ktrace_session_enable() and in records; KTRACE_EV_DYNAMIC or above
 *
 * A record's payload is what "format" describes: ktrace_event_type_parse_format() takes it.
 *
 * Return: 0, -ENOENT without a kernel channel, or what KTRACE_IOC_TRACEPOINT says.
 */
int ktrace_session_tracepoint(struct ktrace_session *s, __u32 number, __u16 *id);

/**
 * ktrace_session_missed - hits of an event of the kernel's own that have no record
 * @s:		the session
 * @id:		from ktrace_session_tracepoint()
 * @missed:	out: hits that the session wanted, and of which the kernel made no record. The
 *		rings count them as KTRACE_LOST_NESTED, too; 0 on failure
 *
 * Return: 0, -ENOENT without a kernel channel, -ENOTTY the module is too old, or what
 * KTRACE_IOC_MISSED says.
 */
int ktrace_session_missed(struct ktrace_session *s, __u16 id, __u64 *missed);
/** ktrace_session_undecided - events recorded as a filter took too long. Return: as above */
int ktrace_session_undecided(struct ktrace_session *s, __u64 *undecided);

/**
 * ktrace_session_follow - record kernel events of a process and its descendants
 * @s:		the session
 * @pid:	process, or KTRACE_FOLLOW_ALL
 *
 * Return: 0, -ENOENT without a kernel channel, -ESRCH without such a process, -EPERM.
 */
int ktrace_session_follow(struct ktrace_session *s, __s32 pid);

/**
 * ktrace_session_context - what is recorded with a kernel event, beside its payload
 * @s:		the session, not started yet; later only if some event's was set, for those off
 * @id:		event id
 * @bits:	KTRACE_CONTEXT_*, <linux/ktrace_context.h>
 *
 * Return: 0, -ENOENT without a kernel channel, -EPERM kernel stacks without CAP_PERFMON,
 * -EOPNOTSUPP this kernel does not have that, or -errno.
 */
int ktrace_session_context(struct ktrace_session *s, __u16 id, __u16 bits);

/**
 * ktrace_session_counter - have a performance counter on each CPU
 * @s:		the session, not started yet
 * @type:	PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE
 * @config:	which, as perf_event_open(2) has it
 * @bit:	out: its bit for ktrace_session_context()
 *
 * Return: 0, -ENOENT without a kernel channel, -EPERM without CAP_PERFMON, -EOPNOTSUPP this
 * machine does not have that counter, -ENOSPC too many, or -errno.
 */
int ktrace_session_counter(struct ktrace_session *s, __u32 type, __u64 config, __u16 *bit);

/**
 * ktrace_session_stacks - stacks that have been met and not been handed out
 * @s:		the session
 * @pos:	in and out: where to go on, 0 = at the beginning
 * @buf:	where struct ktrace_stack, <linux/ktrace_context.h>, go, one behind the other;
 *		aligned as they are
 * @size:	its bytes, at least 2048
 * @dropped:	out: stacks that there was no room for
 *
 * Return: bytes, 0 = no more now; -errno.
 */
int ktrace_session_stacks(struct ktrace_session *s, __u64 *pos, void *buf, __u32 size,
			  __u64 *dropped);

/** ktrace_session_start - begin to record; 0 or -errno */
int ktrace_session_start(struct ktrace_session *s);

/** ktrace_session_stop - end it; afterwards the kernel rings do not change; 0 or -errno */
int ktrace_session_stop(struct ktrace_session *s);

/**
 * ktrace_session_fd - descriptor to poll, or -1
 *
 * EPOLLIN while a ring holds its watermark of unread bytes, EPOLLHUP once the last traced
 * process is gone. It wakes who waits once, after it was asked and had nothing to tell: with
 * EPOLLET it has to be asked again, by EPOLL_CTL_MOD. Rings must be looked at now and then
 * anyway: user space writers do not wake anybody.
 */
int ktrace_session_fd(const struct ktrace_session *s);

/**
 * struct ktrace_stream - one ring of a session, as its reader needs to know it
 * @kind:	enum ktrace_channel_kind
 * @ring:	index in its channel
 * @is_thread:	a thread ring; otherwise @ring is the CPU
 * @policy:	enum ktrace_policy
 * @block_size:	bytes of a block
 * @size:	bytes of the ring
 */
struct ktrace_stream {
	__u32 kind;
	__u32 ring;
	bool is_thread;
	__u32 policy;
	__u32 block_size;
	__u64 size;
};

/**
 * struct ktrace_chunk - whole records of one block, in the ring's memory
 * @pos:	position of the first byte
 * @next_pos:	where reading goes on
 * @first_ts:	stamp of the first record
 * @last_ts:	largest stamp
 * @data:	the bytes
 * @size:	number of bytes; may be 0 where only padding or damage was found
 * @records:	records other than padding and LOST
 * @corrupt:	damaged places
 */
struct ktrace_chunk {
	__u64 pos;
	__u64 next_pos;
	__u64 first_ts;
	__u64 last_ts;
	const char *data;
	__u32 size;
	__u32 records;
	__u32 corrupt;
};

/** ktrace_stream_nr - number of streams; it does not change */
__u32 ktrace_stream_nr(const struct ktrace_session *s);

/** ktrace_stream_info - what stream number @stream is, which is below ktrace_stream_nr() */
void ktrace_stream_info(const struct ktrace_session *s, __u32 stream, struct ktrace_stream *info);

/** ktrace_stream_pos - position that reading goes on from */
__u64 ktrace_stream_pos(const struct ktrace_session *s, __u32 stream);

/** ktrace_stream_unread - bytes waiting to be read */
__u64 ktrace_stream_unread(const struct ktrace_session *s, __u32 stream);

/**
 * ktrace_stream_peek - the next records, without consuming them
 * @s:		the session
 * @stream:	which stream
 * @partial:	also what a block holds that is not full yet
 * @chunk:	out
 *
 * Return: whether there is anything.
 */
bool ktrace_stream_peek(struct ktrace_session *s, __u32 stream, bool partial,
			struct ktrace_chunk *chunk);

/**
 * ktrace_stream_peek_blocks - the next full blocks, without consuming them
 * @s:		the session
 * @stream:	which stream; not one with the overwrite policy
 * @max:	at most so many
 * @chunks:	out; to be advanced over one after the other
 *
 * Ends before whatever is not as it should be: that is for ktrace_stream_peek().
 *
 * Return: how many.
 */
__u32 ktrace_stream_peek_blocks(struct ktrace_session *s, __u32 stream, __u32 max,
				struct ktrace_chunk *chunks);

/**
 * ktrace_stream_still_valid - whether a chunk was not overwritten meanwhile
 *
 * To be asked after the bytes have been used, with the overwrite policy only.
 */
bool ktrace_stream_still_valid(const struct ktrace_session *s, __u32 stream,
			       const struct ktrace_chunk *chunk);

/** ktrace_stream_advance - consume a chunk: its room belongs to the writer again */
void ktrace_stream_advance(struct ktrace_session *s, __u32 stream,
			   const struct ktrace_chunk *chunk);

/**
 * struct ktrace_stream_taken - what a dead owner is known to have read of a stream
 * @pos:	position behind the last of it
 * @records:	records up to there, read or lost by the reader
 * @overwritten: of them overwritten
 */
struct ktrace_stream_taken {
	__u64 pos;
	__u64 records;
	__u64 overwritten;
};

/**
 * ktrace_stream_resume - do not read again what the dead owner had taken
 *
 * It may have died between using a chunk and consuming it. To be called before
 * anything is read. What cannot be is ignored.
 */
void ktrace_stream_resume(struct ktrace_session *s, __u32 stream,
			  const struct ktrace_stream_taken *taken);

/**
 * ktrace_stream_unwritten - a chunk that is about to be consumed could not be kept
 *
 * Counted as KTRACE_LOST_UNWRITTEN from ktrace_stream_advance() on, together with the
 * chunk: not lost and not counted twice if the caller dies.
 */
void ktrace_stream_unwritten(struct ktrace_session *s, __u32 stream, __u32 records);

/** ktrace_stream_lost - lost so far in this stream, the writer's count and the reader's */
void ktrace_stream_lost(const struct ktrace_session *s, __u32 stream, struct ktrace_lost *sum);

/**
 * ktrace_session_reclaim - take back thread rings whose owners are dead
 *
 * Return: number of rings that became free, or -errno.
 */
int ktrace_session_reclaim(struct ktrace_session *s);

#define KTRACE_ENTRY_TEXT_MAX 4096

/**
 * struct ktrace_entry_copy - one checked entry of the registry
 * @type:	enum ktrace_entry_type
 * @id:		EVENT: from KTRACE_ID_FIRST to the last id of the channel
 * @pid:	process that made it
 * @tid:	THREAD: thread; PROCESS: parent
 * @ts:		raw time
 * @text:	NUL-terminated; cut to KTRACE_ENTRY_TEXT_MAX - 1 bytes
 */
struct ktrace_entry_copy {
	__u32 type;
	__u16 id;
	__u32 pid;
	__u32 tid;
	__u64 ts;
	char text[KTRACE_ENTRY_TEXT_MAX];
};

/**
 * ktrace_registry_next - the next entry that has become ready, by a bounded amount of work
 * @s:		the session
 * @entry:	out
 *
 * Return: 1 with an entry, 0 when there is none now, -EAGAIN to be called again, as there
 * were only entries that make no sense so far, -EBADMSG once when the registry turns out
 * to be damaged: nothing behind that place is read any more.
 */
int ktrace_registry_next(struct ktrace_session *s, struct ktrace_entry_copy *entry);

/** ktrace_registry_full - entries that found no room, as writers count them */
__u32 ktrace_registry_full(const struct ktrace_session *s);
/** ktrace_registry_guests - KTRACE_REGISTRY_GUESTS, as writers count them */
__u32 ktrace_registry_guests(const struct ktrace_session *s);

/**
 * struct ktrace_holders - processes that still write, or could
 * @nr:		how many, as far as was looked
 * @pid:	one of them, 0 = not known
 */
struct ktrace_holders {
	__u32 nr;
	__u32 pid;
};

/**
 * ktrace_session_holders - who still holds the session's buffers
 * @s:		the session
 * @limit:	so many are enough
 * @h:		out
 *
 * Shared memory: the processes known from the registry that have the buffer mapped. To
 * find that out takes a while for each; those that have not are never asked again.
 * Device: those that the kernel knows, all of them.
 *
 * Return: 0 or -errno.
 */
int ktrace_session_holders(struct ktrace_session *s, __u32 limit, struct ktrace_holders *h);

/**
 * struct ktrace_reading - one reading of all clocks
 * @raw:	the session's clock
 * @mono_ns:	CLOCK_MONOTONIC
 * @real_ns:	CLOCK_REALTIME
 * @boot_ns:	CLOCK_BOOTTIME; its distance to CLOCK_MONOTONIC is how long the machine slept
 * @hz:		frequency of the raw clock, an estimate that gets better
 */
struct ktrace_reading {
	__u64 raw;
	__u64 mono_ns;
	__u64 real_ns;
	__u64 boot_ns;
	__u64 hz;
};

/** ktrace_session_clock - read all clocks as close together as can be */
void ktrace_session_clock(struct ktrace_session *s, struct ktrace_reading *r);

/**
 * struct ktrace_stale - a session whose owner has died
 * @id:		its id
 * @backend:	KTRACE_BACKEND_DEV or KTRACE_BACKEND_SHM
 * @uid:	user it belongs to
 * @bytes:	memory that it holds
 * @seconds:	dev: it is kept for so long
 * @is_unfinished: its owner died while making it: there is nothing to save
 * @where:	dev: "dev:" and the id, shm: the session's directory
 */
struct ktrace_stale {
	__u64 id;
	int backend;
	__u32 uid;
	__u64 bytes;
	__u32 seconds;
	bool is_unfinished;
	char where[96];
};

/**
 * ktrace_session_list_stale - sessions left behind by owners that died
 * @list:	where to put them
 * @max:	room for so many
 *
 * Those the caller may adopt: its own ones, with CAP_SYS_ADMIN all of the device, and as root all
 * in shared memory. What others' sessions hold, their notes too, is theirs to choose; before one in
 * shared memory is adopted or discarded, a process of root takes its owner's rights to files.
 *
 * Return: how many there are, which may be more than @max.
 */
size_t ktrace_session_list_stale(struct ktrace_stale *list, size_t max);

/**
 * ktrace_session_adopt - become the owner of a stale session, to save what it holds
 * @which:	the session
 * @out:	the session, stopped for good; as ktrace_session_create() has it
 * @reason:	KTRACE_REASON_SIZE bytes: what failed, for people; may be NULL
 *
 * Reading goes on where the dead owner had moved its tails. ktrace_session_destroy()
 * frees the session, ktrace_session_leave() leaves it for the next one.
 *
 * Return: 0; -EBUSY somebody else has adopted it; -ENOENT it is gone; -EPERM; -EBADMSG
 * it makes no sense; -ENODATA it was never finished; -ENOMEM; or -errno of the back end.
 */
int ktrace_session_adopt(const struct ktrace_stale *which, struct ktrace_session **out,
			 char *reason);

/** ktrace_session_discard - remove a stale session and all it holds; 0 or -errno */
int ktrace_session_discard(const struct ktrace_stale *which);

/**
 * struct ktrace_kernel_event - what a kernel event is called, and how large it is
 * @id:		enum ktrace_kernel_id
 * @size:	bytes of its struct; text may follow
 * @family:	e.g. "sched"
 * @name:	e.g. "switch"
 * @desc:	description, <linux/ktrace_events.h>
 */
struct ktrace_kernel_event {
	__u16 id;
	__u16 size;
	const char *family;
	const char *name;
	const char *desc;
};

/** ktrace_kernel_event - row @index of the table, NULL behind the last one */
const struct ktrace_kernel_event *ktrace_kernel_event(__u32 index);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
