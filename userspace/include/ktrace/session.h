/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * session.h - owning a session: its channels, switches, streams and registry
 *
 * A session is created, started, read and stopped by one process, its owner, in one thread at a
 * time. The memory of the rings depends on the back end (/dev/ktrace or shared memory); everything
 * below is the same for both. Writers notice when the owner dies.
 *
 *   create -> enable, follow -> start -> peek/advance, registry ... -> stop -> destroy
 *
 * int functions return 0 (or a count) or -errno and print nothing. Everything read from a user
 * channel was written by the traced programs: it is within bounds, but not necessarily true.
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
	KTRACE_BACKEND_AUTO = 0,	/* the device if it can be used */
	KTRACE_BACKEND_DEV = 1,
	KTRACE_BACKEND_SHM = 2,
};

/**
 * struct ktrace_session_options - properties of a session to create
 * @size:	sizeof(struct ktrace_session_options)
 * @backend:	enum ktrace_backend
 * @kernel:	true to have a kernel channel
 * @policy:	enum ktrace_policy; BLOCK becomes DROP for the kernel channel
 * @ring_size:	bytes of each per-CPU ring, power of two
 * @thread_size: bytes of each thread ring, power of two
 * @registry_size: multiple of 4096; in shared memory, one of 1 MiB or more can grow to 16 times its
 *		size
 * @block_size:	power of two, KTRACE_BLOCK_MIN to KTRACE_BLOCK_MAX
 * @thread_nr:	number of thread rings
 * @timeout_ms:	BLOCK: longest wait of a writer
 * @filter:	user events that start enabled, in the format of ktrace_control.filter_off; NULL =
 *		all
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

/* Size of the last reason of a failure or choice, for people. */
#define KTRACE_REASON_SIZE 256

/**
 * struct ktrace_session_info - properties of an existing session
 * @backend:	"dev" or "shm"
 * @reason:	why not the other back end; empty if this one was asked for
 * @kernel_error: 0, or -errno: why there is no kernel channel although it was wanted
 * @refused:	dev: attachments refused because a program's user held too much memory of other
 *		users' sessions
 * @env:	value of KTRACE_SESSION for the programs to be traced
 * @clock:	enum ktrace_clock
 * @has_kernel:	there is a kernel channel
 * @followed:	dev: number of live processes in the process-tree filter
 * @is_damaged:	shm: see ktrace_session_mend()
 * @lost_noring: dev: kernel events lost on CPUs that came online and had no memory for a ring
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
 * ktrace_session_create - create a session, suspended
 * @opts:	its properties
 * @out:	out: the session, set before its memory is touched, so that ktrace_session_mend()
 *		may be called from then on. NULL after a failure
 * @reason:	KTRACE_REASON_SIZE bytes: what failed, for people; may be NULL
 *
 * Return: 0; -EINVAL for sizes that do not fit together; -ENOMEM or -ENOSPC if there is not enough
 * memory; otherwise the error of opening the back end, e.g. -ENOENT, -EACCES.
 */
int ktrace_session_create(const struct ktrace_session_options *opts,
			  struct ktrace_session **out, char *reason);

/**
 * ktrace_session_dismiss - let programs leave a session that is over
 * @s:		the session, stopped; all chunks have been taken
 *
 * The next event of a program finds that the session is over. From then on another
 * recording can have the program, <linux/ktrace_board.h>. Without this call, programs stay
 * attached to the session's memory.
 *
 * Return: 0; -EOPNOTSUPP: a program takes part whose library is too old, so nothing was done;
 * -ENOENT: no user channel; -ENOMEM; or -errno.
 */
int ktrace_session_dismiss(struct ktrace_session *s);

/**
 * ktrace_session_destroy - close the channels permanently and free everything
 * @s:		the session or NULL
 *
 * Writers that are still attached see KTRACE_STATE_CLOSED.
 */
void ktrace_session_destroy(struct ktrace_session *s);

/**
 * ktrace_session_mend - map an empty page where the session's memory has been truncated
 * @s:		the session
 * @addr:	address of the access, from SIGBUS
 *
 * For a SIGBUS handler: any program of a session in shared memory can truncate its file. If the
 * page belonged to a ring, it is counted there as KTRACE_LOST_CORRUPT.
 *
 * Context: any signal handler.
 * Return: true if the access can be repeated; false if @addr is not in the session's memory.
 */
bool ktrace_session_mend(struct ktrace_session *s, void *addr);

/**
 * ktrace_session_leave - give up a session as if its owner had died
 * @s:		the session or NULL
 *
 * A later owner that adopts it can save the unconsumed events. Nothing records into a session that
 * has been adopted before.
 */
void ktrace_session_leave(struct ktrace_session *s);

/**
 * ktrace_session_forget - free a forked child's copy of its parent's session
 * @s:		the session or NULL
 *
 * The parent's session continues unchanged.
 */
void ktrace_session_forget(struct ktrace_session *s);

/**
 * ktrace_session_area - access the registry's memory, for an owner whose writers use it otherwise
 * @s:		the session
 * @size:	out: bytes
 *
 * Its content is as in <ktrace/channel.h>. Writers can change it at any time.
 */
const void *ktrace_session_area(const struct ktrace_session *s, size_t *size);

/**
 * ktrace_session_set_note - set a text that outlives the session's owner
 * @s:		the session
 * @text:	text for ktrace_session_note()
 *
 * Return: 0, -E2BIG if the text does not fit.
 */
int ktrace_session_set_note(struct ktrace_session *s, const char *text);

/**
 * ktrace_session_note - read the text of the note
 * @s:		the session
 *
 * Return: a copy to be freed, empty if there is no note; NULL without memory.
 */
char *ktrace_session_note(const struct ktrace_session *s);

/**
 * ktrace_cpu_limit - get an upper limit of the numbers of all present and possible CPUs
 *
 * All numbers are below the limit. There may be fewer CPUs, as some numbers may be missing.
 */
__u32 ktrace_cpu_limit(void);

/**
 * ktrace_memory_available - estimate how much memory can be allocated without the OOM killer acting
 *
 * Return: bytes, limited by the machine and the control groups of this process; ~0 = unknown.
 */
__u64 ktrace_memory_available(void);

/** ktrace_session_id - get the number in the session's name */
__u64 ktrace_session_id(const struct ktrace_session *s);

/** ktrace_session_info - query the back end; strings live as long as the session; 0 or -errno */
int ktrace_session_info(struct ktrace_session *s, struct ktrace_session_info *info);

/**
 * ktrace_session_enable - switch an event on or off
 * @s:		the session
 * @kind:	enum ktrace_channel_kind
 * @id:		event id
 * @on:		on or off
 *
 * Return: 0, -ENOENT without such a channel, -EINVAL for an id that the channel does not have.
 */
int ktrace_session_enable(struct ktrace_session *s, __u32 kind, __u16 id, bool on);

/**
 * ktrace_session_filter - choose which events of a type the kernel records
 * @s:		the session
 * @filter:	the event's id, and a program made by <ktrace/kernel_filter.h>
 *
 * Return: 0, -ENOENT without a kernel channel, -EINVAL for an invalid event or program, -EOPNOTSUPP
 * if this kernel cannot produce the event, -EDQUOT, -ENOMEM; -ENOTTY an older module.
 */
int ktrace_session_filter(struct ktrace_session *s, const struct ktrace_kernel_filter *filter);

/**
 * ktrace_session_select - choose which user events are on from now on
 * @s:		the session
 * @filter:	as ktrace_session_options.filter; NULL = all
 *
 * Applies at once to known events, overriding ktrace_session_enable(). Events registered later
 * start enabled if they match. For such an event the choice takes effect when
 * ktrace_registry_next() delivers it; until then the program's own evaluation of the filter
 * applies, which may have used a filter that changed meanwhile.
 *
 * Return: 0, -ENOENT without a user channel, -EINVAL for a filter that is too long.
 */
int ktrace_session_select(struct ktrace_session *s, const char *filter);

/**
 * ktrace_session_tracepoint - assign an id to a tracepoint of the kernel, to be enabled later
 * @s:		the session
 * @number:	the kernel's number: the file "id" next to the event's "format" in tracefs
 * @id:		out: id for ktrace_session_enable() and in records; KTRACE_EV_DYNAMIC or above
 *
 * The payload of a record has the layout of "format"; parse it with
 * ktrace_event_type_parse_format().
 *
 * Return: 0, -ENOENT without a kernel channel, or the error of KTRACE_IOC_TRACEPOINT.
 */
int ktrace_session_tracepoint(struct ktrace_session *s, __u32 number, __u16 *id);

/**
 * ktrace_session_missed - count the hits of a kernel tracepoint that have no record
 * @s:		the session
 * @id:		from ktrace_session_tracepoint()
 * @missed:	out: hits that the session wanted but the kernel could not record. The rings count
 *		them as KTRACE_LOST_NESTED too; 0 on failure
 *
 * Return: 0, -ENOENT without a kernel channel, -ENOTTY if the module is too old, or the error of
 * KTRACE_IOC_MISSED.
 */
int ktrace_session_missed(struct ktrace_session *s, __u16 id, __u64 *missed);
/**
 * ktrace_session_undecided - count events recorded because a filter took too long. Return: as above
 */
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
 * ktrace_session_context - choose the context recorded with a kernel event
 * @s:		the session, not started yet; once started, only for events that are off, and only
 *		if some event had a context before
 * @id:		event id
 * @bits:	KTRACE_CONTEXT_*, <linux/ktrace_context.h>
 *
 * Return: 0, -ENOENT without a kernel channel, -EPERM for kernel stacks without CAP_PERFMON,
 * -EOPNOTSUPP if this kernel does not support it, or -errno.
 */
int ktrace_session_context(struct ktrace_session *s, __u16 id, __u16 bits);

/**
 * ktrace_session_counter - add a performance counter on each CPU
 * @s:		the session, not started yet
 * @type:	PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE
 * @config:	the counter, as in perf_event_open(2)
 * @bit:	out: its bit for ktrace_session_context()
 *
 * Return: 0, -ENOENT without a kernel channel, -EPERM without CAP_PERFMON, -EOPNOTSUPP if this
 * machine does not have that counter, -ENOSPC for too many counters, or -errno.
 */
int ktrace_session_counter(struct ktrace_session *s, __u32 type, __u64 config, __u16 *bit);

/**
 * ktrace_session_stacks - read the stacks that were recorded and not handed out yet
 * @s:		the session
 * @pos:	in and out: where to continue, 0 = at the beginning
 * @buf:	out: consecutive struct ktrace_stack, <linux/ktrace_context.h>, aligned like them
 * @size:	size of @buf in bytes, at least 2048
 * @dropped:	out: stacks dropped for lack of room
 *
 * Return: bytes, 0 = no more for now; -errno.
 */
int ktrace_session_stacks(struct ktrace_session *s, __u64 *pos, void *buf, __u32 size,
			  __u64 *dropped);

/** ktrace_session_start - start recording; 0 or -errno */
int ktrace_session_start(struct ktrace_session *s);

/** ktrace_session_stop - stop recording; afterwards the kernel rings do not change; 0 or -errno */
int ktrace_session_stop(struct ktrace_session *s);

/**
 * ktrace_session_fd - get a descriptor to poll, or -1
 *
 * EPOLLIN while a ring has at least its watermark of unread bytes, EPOLLHUP once the last traced
 * process is gone. It wakes a waiter once after a poll found nothing; with EPOLLET, re-arm it by
 * EPOLL_CTL_MOD. Check the rings from time to time anyway: user space writers do not wake the
 * reader.
 */
int ktrace_session_fd(const struct ktrace_session *s);

/**
 * struct ktrace_stream - one ring of a session, as seen by its reader
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
 * @next_pos:	where reading continues
 * @first_ts:	stamp of the first record
 * @last_ts:	largest stamp
 * @data:	the bytes
 * @size:	number of bytes; may be 0 if there was only padding or damage
 * @records:	number of records other than padding and LOST
 * @corrupt:	number of damaged places
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

/** ktrace_stream_nr - get the number of streams; it never changes */
__u32 ktrace_stream_nr(const struct ktrace_session *s);

/** ktrace_stream_info - describe stream number @stream, which is below ktrace_stream_nr() */
void ktrace_stream_info(const struct ktrace_session *s, __u32 stream, struct ktrace_stream *info);

/** ktrace_stream_pos - get the position where reading continues */
__u64 ktrace_stream_pos(const struct ktrace_session *s, __u32 stream);

/** ktrace_stream_unread - get the number of unread bytes */
__u64 ktrace_stream_unread(const struct ktrace_session *s, __u32 stream);

/**
 * ktrace_stream_peek - look at the next records without consuming them
 * @s:		the session
 * @stream:	the stream
 * @partial:	also return records of a block that is not full yet
 * @chunk:	out: the records
 *
 * Return: true if there are any.
 */
bool ktrace_stream_peek(struct ktrace_session *s, __u32 stream, bool partial,
			struct ktrace_chunk *chunk);

/**
 * ktrace_stream_peek_blocks - look at the next full blocks without consuming them
 * @s:		the session
 * @stream:	the stream; must not have the overwrite policy
 * @max:	maximum number of blocks
 * @chunks:	out: the blocks; to be advanced over one after the other
 *
 * Stops before anything irregular, which is left to ktrace_stream_peek().
 *
 * Return: number of chunks.
 */
__u32 ktrace_stream_peek_blocks(struct ktrace_session *s, __u32 stream, __u32 max,
				struct ktrace_chunk *chunks);

/**
 * ktrace_stream_still_valid - check that a chunk has not been overwritten meanwhile
 *
 * Call it after using the bytes; needed with the overwrite policy only.
 */
bool ktrace_stream_still_valid(const struct ktrace_session *s, __u32 stream,
			       const struct ktrace_chunk *chunk);

/** ktrace_stream_advance - consume a chunk, so that the writer can reuse its room */
void ktrace_stream_advance(struct ktrace_session *s, __u32 stream,
			   const struct ktrace_chunk *chunk);

/**
 * struct ktrace_stream_taken - how much of a stream a dead owner is known to have read
 * @pos:	position after the last record read
 * @records:	records up to @pos, read or lost by the reader
 * @overwritten: those of @records that were overwritten
 */
struct ktrace_stream_taken {
	__u64 pos;
	__u64 records;
	__u64 overwritten;
};

/**
 * ktrace_stream_resume - skip the records that the dead owner had already read
 *
 * The owner may have died between using a chunk and consuming it. Call this before reading
 * anything. Invalid values are ignored.
 */
void ktrace_stream_resume(struct ktrace_session *s, __u32 stream,
			  const struct ktrace_stream_taken *taken);

/**
 * ktrace_stream_unwritten - note that a chunk that is about to be consumed could not be saved
 *
 * Its records are counted as KTRACE_LOST_UNWRITTEN together with the chunk's
 * ktrace_stream_advance(): they are counted exactly once even if the caller dies.
 */
void ktrace_stream_unwritten(struct ktrace_session *s, __u32 stream, __u32 records);

/** ktrace_stream_lost - sum the writer's and the reader's losses in this stream so far */
void ktrace_stream_lost(const struct ktrace_session *s, __u32 stream, struct ktrace_lost *sum);

/**
 * ktrace_session_reclaim - reclaim thread rings whose owners are dead
 *
 * Return: number of rings freed, or -errno.
 */
int ktrace_session_reclaim(struct ktrace_session *s);

#define KTRACE_ENTRY_TEXT_MAX 4096

/**
 * struct ktrace_entry_copy - one checked entry of the registry
 * @type:	enum ktrace_entry_type
 * @id:		EVENT: from KTRACE_ID_FIRST to the last id of the channel
 * @pid:	process that added the entry
 * @tid:	THREAD: the thread; PROCESS: the parent
 * @ts:		raw stamp
 * @text:	NUL-terminated; truncated to KTRACE_ENTRY_TEXT_MAX - 1 bytes
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
 * ktrace_registry_next - read the next entry that is ready, in a bounded amount of work
 * @s:		the session
 * @entry:	out: the entry
 *
 * Return: 1 with an entry; 0 if there is none now; -EAGAIN to be called again, as there were only
 * invalid entries so far; -EBADMSG once if the registry turns out to be damaged: nothing after that
 * place is read any more.
 */
int ktrace_registry_next(struct ktrace_session *s, struct ktrace_entry_copy *entry);

/**
 * ktrace_registry_saved - let writers use the room of all entries returned so far again
 * @s:		the session
 *
 * Only room in slots is used again. Call it when the entries are where they will be found if the
 * caller dies: whoever adopts the session does not get them any more.
 */
void ktrace_registry_saved(struct ktrace_session *s);

/**
 * struct ktrace_registry_use - how full the registry is
 * @used:	bytes of its list that have been read
 * @size:	bytes of the list
 * @most:	bytes that the list can grow to
 * @slots:	number of slots
 * @reused:	entries that have been in slots so far
 * @unfinished:	entries begun and not completed: their programs died, or stood still for long
 * @missing:	entries without room, as counted by writers
 */
struct ktrace_registry_use {
	__u64 used;
	__u64 size;
	__u64 most;
	__u64 reused;
	__u32 slots;
	__u32 unfinished;
	__u32 missing;
};

/** ktrace_registry_use - tell how full the registry is */
void ktrace_registry_use(const struct ktrace_session *s, struct ktrace_registry_use *use);
/** ktrace_registry_full - get the number of entries without room, as counted by writers */
__u32 ktrace_registry_full(const struct ktrace_session *s);
/** ktrace_registry_guests - get KTRACE_REGISTRY_GUESTS, as counted by writers */
__u32 ktrace_registry_guests(const struct ktrace_session *s);

/**
 * struct ktrace_holders - processes that write to a session, or could
 * @nr:		number of processes found
 * @pid:	one of them, 0 = unknown
 */
struct ktrace_holders {
	__u32 nr;
	__u32 pid;
};

/**
 * ktrace_session_holders - find the processes that still hold the session's buffers
 * @s:		the session
 * @limit:	stop after so many processes
 * @h:		out
 *
 * Shared memory: checks which processes known from the registry have the buffer mapped. Each check
 * takes a while; processes without the mapping are not checked again. Device: the kernel's complete
 * list of holders.
 *
 * Return: 0 or -errno.
 */
int ktrace_session_holders(struct ktrace_session *s, __u32 limit, struct ktrace_holders *h);

/**
 * struct ktrace_reading - one simultaneous reading of all clocks
 * @raw:	the session's clock
 * @mono_ns:	CLOCK_MONOTONIC
 * @real_ns:	CLOCK_REALTIME
 * @boot_ns:	CLOCK_BOOTTIME; minus CLOCK_MONOTONIC it is how long the machine was suspended
 * @hz:		frequency of the raw clock, an estimate that improves over time
 */
struct ktrace_reading {
	__u64 raw;
	__u64 mono_ns;
	__u64 real_ns;
	__u64 boot_ns;
	__u64 hz;
};

/** ktrace_session_clock - read all clocks as simultaneously as possible */
void ktrace_session_clock(struct ktrace_session *s, struct ktrace_reading *r);

/** ktrace_session_stamp - read only the session's clock, which stamps its events */
__u64 ktrace_session_stamp(const struct ktrace_session *s);

/**
 * struct ktrace_stale - a session whose owner has died
 * @id:		its id
 * @backend:	KTRACE_BACKEND_DEV or KTRACE_BACKEND_SHM
 * @uid:	user it belongs to
 * @bytes:	memory it holds
 * @seconds:	dev: how long the module keeps it
 * @is_unfinished: true if its owner died while creating it: there is nothing to save
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
 * ktrace_session_list_stale - list sessions left behind by dead owners
 * @list:	out: the sessions
 * @max:	size of @list in entries
 *
 * Lists the sessions that the caller may adopt: its own; with CAP_SYS_ADMIN all of the device; as
 * root all in shared memory. The content of other users' sessions, including their notes, is under
 * those users' control; before a process of root adopts or discards one in shared memory, it must
 * assume the file access rights of that session's user.
 *
 * Return: number of sessions, possibly more than @max.
 */
size_t ktrace_session_list_stale(struct ktrace_stale *list, size_t max);

/**
 * ktrace_session_adopt - become the owner of a stale session, to save its content
 * @which:	the session
 * @out:	out: the session, stopped permanently; set as by ktrace_session_create()
 * @reason:	KTRACE_REASON_SIZE bytes: what failed, for people; may be NULL
 *
 * Reading continues at the dead owner's tails. ktrace_session_destroy() frees the session,
 * ktrace_session_leave() leaves it for the next owner.
 *
 * Return: 0; -EBUSY if another process has adopted it; -ENOENT if it is gone; -EPERM; -EBADMSG if
 * it is invalid; -ENODATA if it was never finished; -ENOMEM; or -errno of the back end.
 */
int ktrace_session_adopt(const struct ktrace_stale *which, struct ktrace_session **out,
			 char *reason);

/** ktrace_session_discard - remove a stale session and its content; 0 or -errno */
int ktrace_session_discard(const struct ktrace_stale *which);

/**
 * struct ktrace_kernel_event - name and size of a kernel event
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

/** ktrace_kernel_event - get row @index of the table, NULL after the last one */
const struct ktrace_kernel_event *ktrace_kernel_event(__u32 index);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
