/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace.h - sessions, channels, mapped layout, ioctls and trust rules of /dev/ktrace
 *
 * The same mapped layout, without the ioctls, is used for the shared-memory back
 * end: there a channel is one file below /dev/shm.
 *
 * 1. Objects
 *
 *   session   made by opening /dev/ktrace and adding a channel; ends with the last
 *             descriptor or mapping of its owner. At most 8 of a user. Its memory can be
 *             kept for whoever saves what it holds, see section 5
 *   channel   control area + registry + rings of one geometry and one policy. A
 *             session has at most one kernel channel, and at most 8 channels in all
 *   ring      see ktrace_ring.h
 *
 * 2. Mapped layout of a channel; all offsets are found in struct ktrace_control
 *
 *   0             struct ktrace_control                  \
 *   enable_off    __u8 enable[id_nr]                      |  control area
 *   filter_off    char filter[filter_size]                |  writers: read-only
 *   note_off      char note[note_size]                    |
 *   tail_off      struct ktrace_tail tail[ring_nr]       /   owner: read, write
 *   registry_off  struct ktrace_registry, entries        user channels: all write
 *   rings_off     cpu_nr rings, ring_stride apart        \   writers: read, write
 *   threads_off   ring_nr - cpu_nr rings,                 |  owner: read-only
 *                 thread_stride apart                    /
 *                 each: struct ktrace_ring, data at data_off
 *
 *   A ring's index counts per-CPU rings first, then thread rings: index i lies at
 *   rings_off + i * ring_stride, or at threads_off + (i - cpu_nr) * thread_stride.
 *
 *   Kernel channels have no thread rings and no registry; of these the owner can
 *   write the tails only, and settings are changed by ioctl.
 *
 * 3. Trust
 *
 *   - Everything in the control area is decided by the owner. The kernel keeps its
 *     own copy of what it needs and reads back nothing but the tails of the kernel
 *     channel, which can harm that channel's own records only.
 *   - A writer copies the geometry once, when it attaches, checks it against the
 *     size of its mapping, and from then on uses its copy.
 *   - The owner and the kernel treat registry and user rings as hostile.
 *   - A file in shared memory has the same rights everywhere: there the table above is
 *     what writers do, not what anybody enforces.
 *
 * 4. States of a channel (control.state)
 *
 *   SUSPENDED --owner: START--> RUNNING --owner: STOP--> SUSPENDED
 *   any state --kernel: last descriptor or mapping of the owner gone--> CLOSED
 *   CLOSED is final; the enable bytes are cleared, the memory stays as long as a
 *   writer has it mapped
 *   (shared memory: the owner's death shows in control.reader, see there)
 *
 *   A writer looks at the enable byte of its event and nothing else: 0 is off. No order
 *   is needed; what has found its byte set just before it is cleared is still written.
 *   In a user channel the owner sets the bytes when it starts, and clears them when it
 *   stops.
 *
 * 5. Sessions that are kept
 *
 *   An owner that asked for it (KEEP) may die: its session has ended then, but memory, tails
 *   and notes stay until somebody adopts it (ADOPT), for keep_seconds, or until memory is short.
 *   Of each user the 4 youngest are kept, charged to him like those that run, of all users
 *   max_kept_percent of the memory. Unloading the module ends them all.
 *
 *   open --owner gone--> kept --ADOPT--> adopted --owner gone--> kept, or freed
 *
 *   Who adopts may map, read, and move tails. Without KEEP 0 it is kept again when he goes.
 *
 * 6. How a writer attaches
 *
 *   KTRACE_SESSION in the environment names the session. Without it, or if a step fails,
 *   the program runs on untraced. One that has more rights than its caller ignores it:
 *   secure_getenv(3).
 *
 *     dev:ID    open /dev/ktrace to read and write, then ATTACH; ID is hexadecimal
 *     shm:PATH  open PATH, which is the channel, to read and write: a regular file of
 *               this user's or root's that nobody else may write to
 *
 *   - Map the whole channel to read, from map_off of the device or 0 of the file on; then
 *     over it, to read and write, all from registry_off on. The descriptor may be closed.
 *   - Copy struct ktrace_control and check it: magic and version as here, size not below
 *     what is here, a user channel, sections 2 and 3. A session's further user channels
 *     are not for this writer.
 *   - Add a PROCESS entry to the registry, and an EVENT entry for each event.
 *   - Write events whose byte is not 0 as ktrace_ring.h says.
 *
 *   After a fork() the child goes on with mapping and ids. It adds a PROCESS entry of its
 *   own; a thread ring it remembers is not its own.
 *
 *   A writer may die at any moment. It owes nothing but its thread rings: it gives them
 *   back, or the session's owner finds that the thread is gone. Process and thread ids are those
 *   it sees; in another pid namespace those of IDS entries, and no ring is taken back there.
 */
#ifndef _LINUX_KTRACE_H
#define _LINUX_KTRACE_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/ktrace_match.h>
#include <linux/ktrace_ring.h>

#define KTRACE_ABI_VERSION 1u
#define KTRACE_CONTROL_MAGIC 0x4b54434cu

enum ktrace_channel_kind {
	KTRACE_CHANNEL_KERNEL = 0,
	KTRACE_CHANNEL_USER = 1,
};

enum ktrace_state {
	KTRACE_STATE_SUSPENDED = 0,
	KTRACE_STATE_RUNNING = 1,
	KTRACE_STATE_CLOSED = 2,
};

enum ktrace_clock {
	KTRACE_CLOCK_TSC = 0,		/* raw cycle counter, on x86 rdtsc; the same on all CPUs */
	KTRACE_CLOCK_MONOTONIC = 1,	/* CLOCK_MONOTONIC in ns */
};

/* Event ids a channel can tell apart. User ids below KTRACE_ID_OFF are on at the start. */
#define KTRACE_ID_NR 8192u
#define KTRACE_ID_OFF 4096u
#define KTRACE_FILTER_SIZE 2048u
/* Room for the META lines of a recording and the name of its file, all of it encoded. */
#define KTRACE_NOTE_SIZE 32768u

/**
 * struct ktrace_control - begins each channel's mapping
 * @magic:	KTRACE_CONTROL_MAGIC, stored last when the channel is made, before a writer
 *		can hear of it
 * @version:	KTRACE_ABI_VERSION; a writer that knows another one does not attach
 * @size:	sizeof(struct ktrace_control), grows with later versions
 * @kind:	enum ktrace_channel_kind
 * @session:	id of the session
 * @map_size:	bytes of the whole mapping
 * @ring_nr:	rings in all; indices cpu_nr and above are thread rings
 * @cpu_nr:	per-CPU rings; index = CPU number. A writer on another CPU uses a thread ring
 * @block_size:	bytes of a block
 * @policy:	enum ktrace_policy
 * @ring_size:	data bytes of a per-CPU ring
 * @ring_stride: distance between per-CPU rings
 * @rings_off:	first per-CPU ring
 * @thread_size: data bytes of a thread ring
 * @thread_stride: distance between thread rings
 * @threads_off: first thread ring
 * @registry_off: registry, 0 = none
 * @registry_size: bytes of the registry; shared memory: may become more, up to the first ring
 * @tail_off:	tails
 * @data_off:	from a ring's beginning to its data
 * @enable_off:	enable bytes
 * @id_nr:	number of enable bytes
 * @filter_off:	user channels: comma-separated globs "provider:name" with * ? [a-z] [!a-z] \,
 *		NUL-terminated; an event that matches none gets an id from KTRACE_ID_OFF
 *		on. Empty: all match. The owner may change it at any time, and then goes by
 *		the name in each EVENT entry: the enable byte is what counts, not the id
 * @filter_size: bytes of the filter, the NUL included
 * @note_off:	text of the owner, NUL-terminated: what the session is and which file it goes
 *		to, for whoever recovers it. 0 = none
 * @note_size:	bytes of the note
 * @clock:	enum ktrace_clock
 * @timeout_ms:	block policy: longest wait of a writer
 * @reader:	shared memory: a robust futex, id of a thread that lives as long as the
 *		owner; FUTEX_OWNER_DIED set: no reader is left. 0 with /dev/ktrace. No reader
 *		is left either when @state is CLOSED
 * @state:	enum ktrace_state; may change at any time
 * @reserved2:	0
 * @reserved:	0
 */
struct ktrace_control {
	__u32 magic;
	__u32 version;
	__u32 size;
	__u32 kind;
	__u64 session;
	__u64 map_size;
	__u32 ring_nr;
	__u32 cpu_nr;
	__u32 block_size;
	__u32 policy;
	__u64 ring_size;
	__u64 ring_stride;
	__u64 rings_off;
	__u64 thread_size;
	__u64 thread_stride;
	__u64 threads_off;
	__u64 registry_off;
	__u64 registry_size;
	__u64 tail_off;
	__u32 data_off;
	__u32 enable_off;
	__u32 id_nr;
	__u32 filter_off;
	__u32 filter_size;
	__u32 clock;
	__u32 timeout_ms;
	__u32 state;
	__u32 note_off;
	__u32 note_size;
	__u64 reserved[7];
	__u32 reader;
	__u32 reserved2[31];
};

/*
 * Registry of a user channel: what names the events. Append-only, filled by any
 * process of the session. The first entry lies behind struct ktrace_registry, each
 * next one entry.size bytes further; a zero word is the end.
 *
 *   free (0) --claimer: CAS--> BUSY|size --claimer: store release--> READY|size
 *
 * The claim stores the size, so an entry whose claimer died is stepped over. A walker
 * loads each word with acquire ordering and stops at an impossible size.
 *
 *   EVENT    If its text is there already, and READY, that entry's id is used; a claimer that
 *            finds an entry of its size BUSY had better wait a little. Otherwise the id is taken
 *            from next_on or next_off by an atomic addition; from KTRACE_ID_OFF or id_nr on,
 *            respectively, none is left. READY comes before the event's first record. So one
 *            text may have several ids, where a claimer had no CPU for long
 *   PROCESS  when it attaches, and in the child of a fork
 *   THREAD   before the thread's first record, and when it has another name
 *   MAP      when a process that said "maps=own" or "maps=parent" finds that it has other code
 *
 * Without the last three, records are read all the same, but nameless; of their keys, those
 * not known are left out. An owner steps over entries of types that it does not know. An
 * event without room or id stays off, and full is incremented.
 */
#define KTRACE_ENTRY_READY (1u << 31)
#define KTRACE_ENTRY_BUSY (1u << 30)
#define KTRACE_ENTRY_SIZE_MASK 0x00fffff8u	/* header, text and its NUL, padded to 8 */

enum ktrace_entry_type {
	KTRACE_ENTRY_EVENT = 1,		/* text: event description, ktrace_events.h */
	KTRACE_ENTRY_PROCESS = 2,	/* text: "comm=... exe=... build=..." as in META, %XX too */
	KTRACE_ENTRY_THREAD = 3,	/* text: "comm=..." */
	KTRACE_ENTRY_MAP = 4,		/* text: "start=... end=..." as in META */
	KTRACE_ENTRY_IDS = 5,		/* text: "ns=... inner=..." as in META; pid is 0 */
};

/* In struct ktrace_registry.reserved */
#define KTRACE_REGISTRY_GUESTS 0	/* children in their parent's memory, noticed late */
#define KTRACE_REGISTRY_IDS 1		/* the last id of IDS entries, 0 = none yet */
/**
 * struct ktrace_registry - begins the registry
 * @next_on:	next event id for an event that matches the filter, from KTRACE_ID_FIRST
 * @next_off:	next event id for one that does not, from KTRACE_ID_OFF
 * @hint:	offset of an entry near the end, where claimers of no event may begin. Not trusted
 * @full:	entries that found no room
 * @reserved:	[KTRACE_REGISTRY_GUESTS], [KTRACE_REGISTRY_IDS]; others 0
 */
struct ktrace_registry {
	__u32 next_on;
	__u32 next_off;
	__u32 hint;
	__u32 full;
	__u32 reserved[12];
};

/**
 * struct ktrace_entry - one entry of the registry, NUL-terminated text follows: of more
 *	than 4095 bytes the rest is ignored
 * @word:	state and size
 * @type:	enum ktrace_entry_type
 * @id:		EVENT: the event's id
 * @pid:	process that made the entry
 * @tid:	THREAD: thread id; PROCESS: parent's pid; EVENT, MAP: 0
 * @ts:		when, in the session's clock
 */
struct ktrace_entry {
	__u32 word;
	__u16 type;
	__u16 id;
	__u32 pid;
	__u32 tid;
	__u64 ts;
};

/**
 * struct ktrace_channel_spec - KTRACE_IOC_CHANNEL: add a channel to a session
 * @size:	sizeof(struct ktrace_channel_spec); in
 * @kind:	enum ktrace_channel_kind; in
 * @ring_size:	data bytes of each per-CPU ring, power of two; in
 * @block_size:	power of two, at least KTRACE_RING_BLOCKS_MIN to a ring; in
 * @policy:	enum ktrace_policy; in
 * @thread_size: data bytes of each thread ring, power of two; in, user channels
 * @registry_size: bytes, multiple of 4096; in, user channels
 * @thread_nr:	number of thread rings; in, user channels
 * @timeout_ms:	block policy: longest wait of a writer; in
 * @watermark:	unread bytes in a ring that make poll() report POLLIN; in
 * @reserved:	0
 * @map_off:	offset for mmap(); out
 * @map_size:	bytes to map; out
 */
struct ktrace_channel_spec {
	__u32 size;
	__u32 kind;
	__u64 ring_size;
	__u32 block_size;
	__u32 policy;
	__u64 thread_size;
	__u64 registry_size;
	__u32 thread_nr;
	__u32 timeout_ms;
	__u32 watermark;
	__u32 reserved;
	__u64 map_off;
	__u64 map_size;
};

/* Values of a word that ktrace_attach.thread_word names. */
#define KTRACE_THREAD_ASKS 0x7ffffffeu
#define KTRACE_THREAD_MUTE 0x7ffffffdu
#define KTRACE_THREAD_LENT 0x7ffffffcu

/**
 * struct ktrace_attach - KTRACE_IOC_ATTACH: become a writer of a session
 * @size:	sizeof(struct ktrace_attach); in
 * @thread_word: where a thread knows its CPU: distance from the thread pointer, 0 = nowhere. When
 *		the thread makes a child that has its memory and thread pointer, the kernel first
 *		stores KTRACE_THREAD_ASKS if the thread waits for the child (vfork), else LENT;
 *		nothing if it is MUTE, or behind a filter of system calls; in
 * @session:	id of the session; in
 * @map_off:	offset for mmap() of its first user channel; out
 * @map_size:	bytes to map; out
 */
struct ktrace_attach {
	__u32 size;
	__s32 thread_word;
	__u64 session;
	__u64 map_off;
	__u64 map_size;
};

/**
 * struct ktrace_info - KTRACE_IOC_INFO
 * @size:	sizeof(struct ktrace_info); in
 * @abi:	KTRACE_ABI_VERSION of the module
 * @session:	id of this session
 * @tsc_khz:	frequency of KTRACE_CLOCK_TSC, 0 = unknown
 * @clock:	clock of this session; without one, that of a session that is made now
 * @followed:	live processes in the process-tree filter
 * @writers:	live mappings by attached writers (a fork adds one)
 * @lost_noring: kernel events on CPUs that came up later and found no memory for a ring
 * @sessions:	sessions in memory, of all users, also ended ones that are kept or mapped
 * @kept:	of these, sessions waiting to be adopted
 * @refused:	attachments to this session that failed with EDQUOT
 * @freed:	of all users' kept ones, how many were freed unsaved since the module was loaded
 * @reserved:	0
 * @undecided:	events that were recorded because filters took too long, see ktrace_match.h
 */
struct ktrace_info {
	__u32 size;
	__u32 abi;
	__u64 session;
	__u32 tsc_khz;
	__u32 clock;
	__u32 followed;
	__u32 writers;
	__u64 lost_noring;
	__u32 sessions;
	__u32 kept;
	__u32 refused;
	__u32 freed;
	__u32 reserved[2];
	__u64 undecided;
};

/**
 * struct ktrace_kept - KTRACE_IOC_KEPT: which sessions could be adopted
 * @size:	sizeof(struct ktrace_kept); in
 * @index:	0 = the oldest that the caller may adopt, 1 = the next, ...; in
 * @session:	id; out
 * @bytes:	memory it holds; out
 * @uid:	user it belongs to, in the caller's user namespace; out
 * @seconds:	how long it will still be kept; out
 */
struct ktrace_kept {
	__u32 size;
	__u32 index;
	__u64 session;
	__u64 bytes;
	__u32 uid;
	__u32 seconds;
};

/**
 * struct ktrace_adopt - KTRACE_IOC_ADOPT: become owner of a session that is kept
 * @size:	sizeof(struct ktrace_adopt); in
 * @channels:	its channels, mapped from n << KTRACE_MAP_SHIFT on; page 0 has map_size; out
 * @session:	id of the session; in
 */
struct ktrace_adopt {
	__u32 size;
	__u32 channels;
	__u64 session;
};

/**
 * struct ktrace_enable - KTRACE_IOC_ENABLE: switch a kernel event on or off
 * @id:		event id, ktrace_events.h
 * @on:		0 or 1
 */
struct ktrace_enable {
	__u16 id;
	__u16 on;
};

/**
 * struct ktrace_tracepoint - KTRACE_IOC_TRACEPOINT: give a tracepoint of the kernel an id
 * @size:	sizeof(struct ktrace_tracepoint); in
 * @number:	the kernel's own: the file "id" beside the event's "format" in tracefs; in
 * @id:		for ENABLE and in records, as long as the session lasts; 0 in, out
 * @reserved:	0
 *
 * A record's payload is what "format" describes, common fields included.
 */
struct ktrace_tracepoint {
	__u32 size;
	__u32 number;
	__u16 id;
	__u16 reserved[3];
};

/**
 * struct ktrace_missed - KTRACE_IOC_MISSED: hits of a tracepoint that have no record
 * @size:	sizeof(struct ktrace_missed); in
 * @id:		what KTRACE_IOC_TRACEPOINT gave; in
 * @reserved:	0
 * @missed:	hits that the session wanted, and of which the kernel made no record: it made
 *		another one in the same context, or a BPF program kept it back; out
 *
 * They are part of KTRACE_LOST_NESTED of the rings, also those that the event's filter would have
 * refused. What probes on functions miss is counted by the kernel instead.
 */
struct ktrace_missed {
	__u32 size;
	__u16 id;
	__u16 reserved;
	__u64 missed;
};

#define KTRACE_FOLLOW_ALL 0

/**
 * struct ktrace_context - KTRACE_IOC_CONTEXT: what is recorded with a kernel event
 * @id:		event id, ktrace_events.h
 * @bits:	KTRACE_CONTEXT_*, ktrace_context.h; replaces what was asked for before
 */
struct ktrace_context {
	__u16 id;
	__u16 bits;
};

/**
 * struct ktrace_counter - KTRACE_IOC_COUNTER: a performance counter of each CPU
 * @size:	sizeof(struct ktrace_counter); in
 * @type:	as in struct perf_event_attr: PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE; in
 * @config:	as there, below 16; in
 * @index:	its number in the session: bit KTRACE_CONTEXT_COUNTER << index; out
 * @reserved:	0
 */
struct ktrace_counter {
	__u32 size;
	__u32 type;
	__u64 config;
	__u32 index;
	__u32 reserved;
};

/**
 * struct ktrace_stacks - KTRACE_IOC_STACKS: stacks that have been met
 * @size:	sizeof(struct ktrace_stacks); in
 * @bytes:	room at @buf; in. How many were stored: whole entries; out
 * @pos:	where to go on, 0 = at the beginning; in and out
 * @buf:	address of the room; in
 * @dropped:	stacks not recorded so far, for lack of room or because none could be taken; out
 */
struct ktrace_stacks {
	__u32 size;
	__u32 bytes;
	__u64 pos;
	__u64 buf;
	__u64 dropped;
};

/* Channel n is mapped from offset n << KTRACE_MAP_SHIFT on. */
#define KTRACE_MAP_SHIFT 40

/*
 * Who may: owner = a descriptor that made the session; K = only with a kernel
 * channel, which takes CAP_PERFMON in the initial user namespace or the module
 * parameter group_kernel=1.
 *
 *   CHANNEL  owner, or a fresh descriptor: makes the session, which is suspended
 *   START    owner; no effect when running
 *   STOP     owner; no effect when suspended. Afterwards the kernel rings are still
 *   ENABLE   owner, K
 *   FOLLOW   owner, K. pid is any thread's; its children are followed as well. Without
 *            CAP_PERFMON only the owner's own, until they run as somebody else
 *   FILTER   owner, K. At any time, for events that are not enabled, too; another one
 *            takes its place. What an event's filter does not want takes no room in the
 *            rings, and is not lost
 *   INFO     anyone
 *   ATTACH   a fresh descriptor of the owner's user, or of anyone when the owner
 *            had CAP_SYS_ADMIN; it can then only map user channels and ask INFO
 *   KEEP     owner. 1: keep the session when its owner is gone; 0, the default: do not
 *   KEPT     anyone: the user's own sessions; with CAP_SYS_ADMIN all
 *   ADOPT    a fresh descriptor of the owner's user, or with CAP_SYS_ADMIN; K. Afterwards
 *            START, ENABLE, FILTER, FOLLOW, CHANNEL, CONTEXT and COUNTER are too late
 *   CONTEXT  owner, K, before the first START. Kernel stacks take CAP_PERFMON
 *   COUNTER  owner, K, before the first START; CAP_PERFMON. It counts from then on, on each
 *            CPU. Where a CPU goes offline, it stops; a moment after the CPU has come it goes
 *            on from the same value, or begins at 0. Records of that moment do not have it
 *   STACKS   owner, also who adopted; at any time
 *   TRACEPOINT  owner, K, and always CAP_PERFMON in the initial user namespace: records of
 *            the kernel's tracepoints may tell of anybody
 *   MISSED   owner, at any time
 *
 * Errors
 *
 *   all      ENOTTY no such request; EFAULT bad address; where the argument begins with
 *            its size: EINVAL smaller than the first version, E2BIG larger than the
 *            kernel's and not 0 there; where only the owner may: EINVAL on a fresh
 *            descriptor, EPERM on a writer's
 *   CHANNEL  EINVAL sizes, kind, policy or watermark (at most half a ring) that cannot
 *            be; EPERM kernel channel without privilege, or a writer's descriptor; EBUSY
 *            after the first START, a second kernel channel, too many sessions, or a
 *            session that was adopted; ENOSPC too many channels; EDQUOT more than the
 *            module parameters max_session_mb and max_user_mb allow; ENOMEM; EINTR killed
 *   START    EINVAL no channel; EBUSY the session was adopted; ENOMEM
 *   STOP     EINVAL no channel
 *   ENABLE   EINVAL no such event, on above 1, or no kernel channel; EBUSY the session was
 *            adopted; EOPNOTSUPP this kernel cannot produce it; ENOMEM
 *   FILTER   EINVAL no such event, no kernel channel, or no program as ktrace_match.h has it;
 *            EBUSY the session was adopted; EOPNOTSUPP this kernel cannot produce the event;
 *            EDQUOT as CHANNEL; ENOMEM
 *   FOLLOW   EINVAL pid below 0, or no kernel channel; EBUSY the session was adopted;
 *            ESRCH no such process, or it is exiting; EPERM another user's, one that
 *            ptrace(2) may not read, or KTRACE_FOLLOW_ALL, without CAP_PERFMON
 *   ATTACH   EINVAL reserved is not 0; EBUSY not a fresh descriptor; ENOENT no such
 *            session; EPERM another user's; ENXIO it has no user channel; EDQUOT its user
 *            would hold more than max_user_mb of other users' sessions; ENOMEM
 *   KEEP     EINVAL neither 0 nor 1
 *   KEPT     ENOENT there is none of that index
 *   CONTEXT  EINVAL no such event, bits that are not known or of a counter not made, no kernel
 *            channel; EBUSY it has been started, and the event is on, or nothing was asked for
 *            before; EPERM; EOPNOTSUPP no cgroups in this kernel; EDQUOT as CHANNEL; ENOMEM
 *   COUNTER  EINVAL type or config, reserved or index not 0, or no kernel channel; EBUSY it
 *            has been started; EPERM; ENOSPC there are 8; EOPNOTSUPP this machine has no such
 *            counter; EDQUOT; ENOMEM; or as perf_event_open(2)
 *   STACKS   EINVAL no kernel channel, pos behind what can be handed out, no room for an entry
 *   ADOPT    EINVAL channels is not 0; EBUSY not a fresh descriptor; ENOENT no session of
 *            that id is kept; EPERM another user's, or one with kernel events and no
 *            privilege for them
 *   TRACEPOINT  EINVAL no such event, id or reserved is not 0, or no kernel channel; EBUSY it was
 *            adopted; EPERM, EACCES without privilege; EOPNOTSUPP it cannot be done; ENOSPC; ENOMEM
 *   MISSED   EINVAL the session has no such event from TRACEPOINT, or reserved is not 0
 *
 * mmap()     ENXIO no session, or no such channel; EINVAL beyond the channel's end, or
 *            MAP_PRIVATE; EPERM executable, writable beyond section 2, or a kernel channel
 *            and not the owner; EACCES writable with a descriptor opened for reading.
 *            Rights cannot be added later with mprotect(). An owner's mapping is not
 *            inherited by fork(), a writer's is.
 * poll()     POLLIN a ring holds its watermark of unread bytes (a ring smaller than twice
 *            the watermark: half of it); a sleeper hears of it at most 10 ms later, or of a
 *            session with more than 1000 rings after 1 ms for each 100. POLLHUP processes were
 *            followed or writers had mappings, and none of either is left; POLLERR not an owner
 */
#define KTRACE_IOC_CHANNEL _IOWR('k', 0x40, struct ktrace_channel_spec)
#define KTRACE_IOC_START _IO('k', 0x41)
#define KTRACE_IOC_STOP _IO('k', 0x42)
#define KTRACE_IOC_ENABLE _IOW('k', 0x43, struct ktrace_enable)
#define KTRACE_IOC_FOLLOW _IOW('k', 0x44, __s32)
#define KTRACE_IOC_INFO _IOWR('k', 0x45, struct ktrace_info)
#define KTRACE_IOC_ATTACH _IOWR('k', 0x46, struct ktrace_attach)
#define KTRACE_IOC_KEEP _IOW('k', 0x47, __u32)
#define KTRACE_IOC_KEPT _IOWR('k', 0x48, struct ktrace_kept)
#define KTRACE_IOC_ADOPT _IOWR('k', 0x49, struct ktrace_adopt)
#define KTRACE_IOC_FILTER _IOW('k', 0x4a, struct ktrace_kernel_filter)
#define KTRACE_IOC_CONTEXT _IOW('k', 0x4b, struct ktrace_context)
#define KTRACE_IOC_TRACEPOINT _IOWR('k', 0x4c, struct ktrace_tracepoint)
#define KTRACE_IOC_COUNTER _IOWR('k', 0x4d, struct ktrace_counter)
#define KTRACE_IOC_STACKS _IOWR('k', 0x4e, struct ktrace_stacks)
#define KTRACE_IOC_MISSED _IOWR('k', 0x4f, struct ktrace_missed)

#endif
