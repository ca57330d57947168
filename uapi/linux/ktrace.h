/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace.h - sessions, channels, mapped layout, ioctls and trust rules of /dev/ktrace
 *
 * The shared-memory back end uses the same mapped layout, without the ioctls: there a
 * channel is a file below /dev/shm.
 *
 * 1. Objects
 *
 *   session   opening /dev/ktrace and adding a channel creates it; it ends with the last
 *             descriptor or mapping of its owner. A user has at most 8. Its memory can be
 *             kept until its contents are saved, see section 5
 *   channel   control area + registry + rings of one geometry and one policy. A
 *             session has at most one kernel channel, and at most 8 channels in all
 *   ring      see ktrace_ring.h
 *
 * 2. Mapped layout of a channel; struct ktrace_control has all offsets
 *
 *   0             struct ktrace_control                  \
 *   enable_off    __u8 enable[id_nr or id_all]            |  control area
 *   filter_off    char filter[filter_size]                |  writers: read-only
 *   note_off      char note[note_size]                    |
 *   tail_off      struct ktrace_tail tail[ring_nr]       /   owner: read, write
 *   registry_off  struct ktrace_registry, entries        user channels: all write
 *   rings_off     cpu_nr rings, ring_stride apart        \   writers: read, write
 *   threads_off   ring_nr - cpu_nr rings,                 |  owner: read-only
 *                 thread_stride apart                    /
 *                 each: struct ktrace_ring, data at data_off
 *
 *   A ring's index counts per-CPU rings first, then thread rings: ring i begins at
 *   rings_off + i * ring_stride, or at threads_off + (i - cpu_nr) * thread_stride.
 *
 *   Kernel channels have no thread rings and no registry; the owner can only write
 *   their tails, and changes settings by ioctl.
 *
 * 3. Trust
 *
 *   - The owner controls everything in the control area. The kernel keeps its own copy
 *     of what it needs and only reads back the tails of the kernel channel, which can
 *     only harm that channel's own records.
 *   - A writer copies the geometry once, when it attaches, checks it against the
 *     size of its mapping, and from then on uses its copy.
 *   - The owner and the kernel treat registry and user rings as hostile.
 *   - A file in shared memory has the same rights everywhere: there the table above is
 *     a convention for writers, and nothing enforces it.
 *
 * 4. States of a channel (control.state)
 *
 *   SUSPENDED --owner: START--> RUNNING --owner: STOP--> SUSPENDED
 *   any state --kernel: last descriptor or mapping of the owner gone--> CLOSED
 *   CLOSED is final; the enable bytes are cleared, the memory stays as long as a
 *   writer has it mapped
 *   (shared memory: control.reader shows the owner's death, see there)
 *
 *   A writer only tests the enable byte of its event: 0 = disabled. No ordering is needed;
 *   an event that read its byte just before it was cleared is still written.
 *   In a user channel the owner sets the bytes when it starts recording, and clears them
 *   when it stops.
 *
 * 5. Kept sessions
 *
 *   If the owner asked for it (KEEP) and dies, its session ends, but memory, tails and notes
 *   stay until another process adopts it (ADOPT), for keep_seconds, or until memory is short.
 *   The module keeps the 4 newest sessions of each user, charged to the user like live ones,
 *   and max_kept_percent of the memory for all users. Unloading it frees them all.
 *
 *   open --owner gone--> kept --ADOPT--> adopted --owner gone--> kept, or freed
 *
 *   The new owner may map, read, and move tails. When it goes, the session is kept again
 *   unless it set KEEP to 0.
 *
 * 6. How a writer attaches
 *
 *   KTRACE_SESSION in the environment names the session. Without it, or if a step fails,
 *   the program runs untraced. A program with more rights than its caller ignores the
 *   variable: secure_getenv(3).
 *
 *     dev:ID    open /dev/ktrace for reading and writing, then ATTACH; ID is hexadecimal
 *     shm:PATH  open PATH, the channel, for reading and writing: a regular file that
 *               belongs to this user or root, and to which nobody else may write
 *
 *   - Map the whole channel for reading, from offset map_off of the device or 0 of the file;
 *     then map the part from registry_off on again in its place, for reading and writing.
 *     The descriptor may be closed.
 *   - Copy struct ktrace_control and check it: magic and version as here, size at least
 *     as here, a user channel, sections 2 and 3. Further user channels of the session
 *     are not for this writer.
 *   - Add a PROCESS entry to the registry, and an EVENT entry for each event.
 *   - Write events whose byte is not 0 as ktrace_ring.h says.
 *
 *   After a fork() the child continues with mapping and ids. It adds a PROCESS entry of its
 *   own; it does not own the thread rings of its parent.
 *
 *   A writer may die at any moment. It only has to return its thread rings: it does so itself,
 *   or the session's owner finds that the thread is gone. Process and thread ids are those that
 *   the writer sees. In another pid namespace they are those of IDS entries, and the owner takes
 *   back no rings.
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
	/* Raw counter, the same on all CPUs: on x86 rdtsc, on arm64 CNTVCT_EL0 */
	KTRACE_CLOCK_COUNTER = 0,
	KTRACE_CLOCK_TSC = KTRACE_CLOCK_COUNTER,	/* its first name */
	KTRACE_CLOCK_MONOTONIC = 1,	/* CLOCK_MONOTONIC in ns */
};

/* Number of event ids of a channel. User ids below KTRACE_ID_OFF are enabled at the start. */
#define KTRACE_ID_NR 8192u
#define KTRACE_ID_OFF 4096u
/*
 * Where control.id_all says so, there are more: user ids from KTRACE_ID_MORE on are enabled at the
 * start, those from KTRACE_ID_MORE_OFF on are not.
 */
#define KTRACE_ID_MORE KTRACE_ID_NR
#define KTRACE_ID_MORE_OFF 20480u
#define KTRACE_ID_ALL 32768u
#define KTRACE_FILTER_SIZE 2048u
/* Room for the META lines of a recording and the name of its file, all encoded. */
#define KTRACE_NOTE_SIZE 32768u

/**
 * struct ktrace_control - begins each channel's mapping
 * @magic:	KTRACE_CONTROL_MAGIC, stored last when the channel is created, before a writer
 *		can find it
 * @version:	KTRACE_ABI_VERSION; a writer of another version does not attach
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
 * @registry_size: bytes of the registry; shared memory: may grow, up to the first ring
 * @tail_off:	tails
 * @data_off:	from a ring's beginning to its data
 * @enable_off:	enable bytes
 * @id_nr:	number of enable bytes
 * @filter_off:	user channels: comma-separated globs "provider:name" with * ? [a-z] [!a-z] \,
 *		NUL-terminated; an event that matches none gets an id from KTRACE_ID_OFF
 *		on. Empty: all match. The owner may change the filter at any time; it then sets
 *		the enable bytes by the name in each EVENT entry, whatever the id
 * @filter_size: bytes of the filter, including the NUL
 * @note_off:	text of the owner, NUL-terminated: describes the session and names its file,
 *		for its recovery. 0 = none
 * @note_size:	bytes of the note
 * @clock:	enum ktrace_clock
 * @timeout_ms:	block policy: longest wait of a writer
 * @reader:	shared memory: a robust futex, id of a thread that lives as long as the
 *		owner; with FUTEX_OWNER_DIED set, no reader is left. 0 with /dev/ktrace. There
 *		is no reader either when @state is CLOSED
 * @state:	enum ktrace_state; may change at any time
 * @slots_off:	slots of the registry, after @registry_off and apart from the rest
 * @slot_nr:	number of them, a power of two up to KTRACE_SLOT_NR_MAX; 0 = none
 * @slot_size:	bytes of a slot, a multiple of 64
 * @id_all:	number of enable bytes if there are more than @id_nr, otherwise 0. Writers that do
 *		not know of them use ids below @id_nr
 * @reserved0:	0
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
	__u64 slots_off;
	__u32 slot_nr;
	__u32 slot_size;
	__u32 id_all;
	__u32 reserved0;
	__u64 reserved[4];
	__u32 reader;
	__u32 reserved2[31];
};

/*
 * Registry of a user channel: names of events, processes, threads and code. Append-only, filled
 * by any process of the session. The first entry follows struct ktrace_registry, each next one
 * begins entry.size bytes further; a zero word is the end.
 *
 *   free (0) --claimer: CAS--> BUSY|size --claimer: store release--> READY|size
 *
 * The claim stores the size, so readers can skip an entry whose claimer died. A reader
 * loads each word with acquire ordering and stops at an invalid size.
 *
 *   EVENT    If a READY entry has the same text, its id is used; a claimer that finds a BUSY
 *            entry of the same size should wait a little. Otherwise the id is taken
 *            from next_on or next_off by an atomic addition; ids end below KTRACE_ID_OFF or
 *            id_nr; then from more_on or more_off, if any. The entry is READY before the event's
 *            first record. One text may get several ids if a claimer had no CPU for long
 *   PROCESS  added when a process attaches, and by the child of a fork
 *   THREAD   added before the thread's first record, and when its name has changed
 *   MAP      added when a process with "maps=own" or "maps=parent" finds that its code changed
 *
 * Records can be read without the last three, but have no names; unknown keys in these entries
 * are ignored. An owner skips entries of unknown types. If there is no room or id for an event,
 * it stays disabled, and full is incremented.
 *
 * The list only grows. Once it has as many bytes as there are in slots, PROCESS, THREAD and MAP
 * entries go to slots, as do all that follow, unless too long: only the owner reads these, once, so
 * their room is used again. Slot i is for positions i, i + slot_nr, i + 2 * slot_nr, ...; its word
 * has the position that it is, or will be, used for, and its state:
 *
 *   FREE --claimer: CAS--> BUSY --claimer: CAS, release--> READY --owner: store release--> FREE,
 *                           |                                           position + slot_nr
 *                           +--owner: CAS, it waited for long--> DEAD for good
 *
 *   - A claimer begins at slot_next and claims the first position whose slot is FREE for it. It
 *     passes slots that are BUSY or READY for theirs, and DEAD ones; a slot with an earlier
 *     position is not free yet: there is no room. Then it moves slot_next on if it is behind.
 *   - The owner frees slots in order, when it needs what it has read no more: it is saved.
 *   - A claimer that finds its slot DEAD counts that in slot_late, and claims another one.
 *   - The PROCESS entry of a writer that does not leave a session that is over stays in the list:
 *     a process that adopts the session has to know of it.
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

/* In ktrace_entry.id: it leaves a session that is over, ktrace_board.h */
#define KTRACE_PROCESS_LEAVES 1

/* The low bits of ktrace_slot.word */
#define KTRACE_SLOT_FREE 0u
#define KTRACE_SLOT_BUSY 1u
#define KTRACE_SLOT_READY 2u
#define KTRACE_SLOT_DEAD 3u
#define KTRACE_SLOT_WORD(pos, state) ((__u64)(pos) << 2 | (state))
#define KTRACE_SLOT_SIZE 512u
#define KTRACE_SLOT_NR_MAX 65536u

/* In struct ktrace_registry.reserved */
#define KTRACE_REGISTRY_GUESTS 0	/* children sharing their parent's memory, noticed late */
#define KTRACE_REGISTRY_IDS 1		/* the last id of IDS entries, 0 = none yet */
/**
 * struct ktrace_registry - begins the registry
 * @next_on:	next event id for an event that matches the filter, from KTRACE_ID_FIRST
 * @next_off:	next event id for one that does not, from KTRACE_ID_OFF
 * @hint:	offset of an entry near the end, where claimers may begin, except for an EVENT. Not
 *		trusted
 * @full:	entries that did not fit
 * @reserved:	[KTRACE_REGISTRY_GUESTS], [KTRACE_REGISTRY_IDS]
 * @slot_next:	position at or before the next free one. Not trusted
 * @more_on:	next id after those of @next_on, from KTRACE_ID_MORE
 * @more_off:	next id after those of @next_off, from KTRACE_ID_MORE_OFF
 * @slot_late:	claimers that found their slot DEAD and went on to add the entry elsewhere
 * @reserved2:	0
 */
struct ktrace_registry {
	__u32 next_on;
	__u32 next_off;
	__u32 hint;
	__u32 full;
	__u32 reserved[2];
	__u64 slot_next;
	__u32 more_on;
	__u32 more_off;
	__u32 slot_late;
	__u32 reserved2[5];
};

/**
 * struct ktrace_entry - one entry of the registry, NUL-terminated text follows, which is
 *	read up to 4095 bytes
 * @word:	state and size
 * @type:	enum ktrace_entry_type
 * @id:		EVENT: the event's id; PROCESS: KTRACE_PROCESS_*
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
 * struct ktrace_slot - an entry in a slot, whose text follows as in the list
 * @word:	position << 2 and state
 * @entry:	@entry.word has its size only
 */
struct ktrace_slot {
	__u64 word;
	struct ktrace_entry entry;
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

/* Values of the word at ktrace_attach.thread_word */
#define KTRACE_THREAD_ASKS 0x7ffffffeu
#define KTRACE_THREAD_MUTE 0x7ffffffdu
#define KTRACE_THREAD_LENT 0x7ffffffcu

/**
 * struct ktrace_attach - KTRACE_IOC_ATTACH: become a writer of a session
 * @size:	sizeof(struct ktrace_attach); in
 * @thread_word: distance of the word with a thread's CPU from the thread pointer, 0 = none. Before
 *		the thread creates a child that shares its memory and thread pointer, the kernel
 *		stores KTRACE_THREAD_ASKS there if the thread waits for the child (vfork), otherwise
 *		LENT; nothing if the word is MUTE, or the thread has a filter of system calls; in
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
 * @tsc_khz:	frequency of KTRACE_CLOCK_COUNTER, 0 = unknown
 * @clock:	clock of this session; without a session, clock of a new one
 * @followed:	live processes in the process-tree filter
 * @writers:	live mappings by attached writers (a fork adds one)
 * @lost_noring: lost kernel events of CPUs that came online without memory for a ring
 * @sessions:	sessions in memory, of all users, including ended ones that are kept or mapped
 * @kept:	sessions of these that wait to be adopted
 * @refused:	attachments to this session that failed with EDQUOT
 * @freed:	kept sessions of all users that were freed unsaved since the module was loaded
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
 * struct ktrace_kept - KTRACE_IOC_KEPT: a session that can be adopted
 * @size:	sizeof(struct ktrace_kept); in
 * @index:	0 = the oldest that the caller may adopt, 1 = the next, ...; in
 * @session:	id; out
 * @bytes:	its memory; out
 * @uid:	its user, in the caller's user namespace; out
 * @seconds:	until it is freed; out
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
 * struct ktrace_adopt - KTRACE_IOC_ADOPT: become owner of a kept session
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
 * struct ktrace_enable - KTRACE_IOC_ENABLE: enable or disable a kernel event
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
 * @number:	the kernel's own id: file "id" beside the event's "format" in tracefs; in
 * @id:		id for ENABLE and in records, as long as the session lasts; 0 in, out
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
 * @id:		id from KTRACE_IOC_TRACEPOINT; in
 * @reserved:	0
 * @missed:	hits that the session wanted, but of which the kernel made no record because it was
 *		making another one in the same context, or a BPF program discarded it; out
 *
 * They are part of KTRACE_LOST_NESTED of the rings, even if the event's filter would have rejected
 * them. The kernel itself counts the hits that probes on functions miss.
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
 * @bits:	KTRACE_CONTEXT_*, ktrace_context.h; replaces earlier bits
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
 * struct ktrace_stacks - KTRACE_IOC_STACKS: read the stacks stored so far
 * @size:	sizeof(struct ktrace_stacks); in
 * @bytes:	size of @buf; in. Bytes stored, whole entries; out
 * @pos:	where to continue, 0 = at the beginning; in and out
 * @buf:	address of the buffer; in
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
 * Rights: owner = a descriptor that created or adopted the session; K = only with a kernel
 * channel, which needs CAP_PERFMON in the initial user namespace or the module
 * parameter group_kernel=1.
 *
 *   CHANNEL  owner, or a fresh descriptor: creates the session, which is suspended
 *   START    owner; no effect when running
 *   STOP     owner; no effect when suspended. Afterwards the kernel rings do not change
 *   ENABLE   owner, K
 *   FOLLOW   owner, K. pid is that of any thread; children are followed as well. Without
 *            CAP_PERFMON only the user's own processes, until they run as another user
 *   FILTER   owner, K. At any time, also for disabled events; replaces the event's earlier
 *            filter. Events that it rejects take no room in the rings, and are not lost
 *   INFO     anyone
 *   ATTACH   a fresh descriptor of the owner's user, or of anyone when the owner
 *            had CAP_SYS_ADMIN; it can then only map user channels and call INFO
 *   KEEP     owner. 1: keep the session when its owner is gone; 0, the default: do not
 *   KEPT     anyone: the user's own sessions; with CAP_SYS_ADMIN all
 *   ADOPT    a fresh descriptor of the owner's user, or with CAP_SYS_ADMIN; K. Afterwards
 *            START, ENABLE, FILTER, FOLLOW, CHANNEL, CONTEXT and COUNTER fail
 *   CONTEXT  owner, K, before the first START. Kernel stacks need CAP_PERFMON
 *   COUNTER  owner, K, before the first START; CAP_PERFMON. It counts from then on, on each
 *            CPU. It stops when a CPU goes offline; a moment after the CPU came online it
 *            continues from the same value, or begins at 0. Records of that moment lack it
 *   STACKS   owner, at any time
 *   TRACEPOINT  owner, K, and always CAP_PERFMON in the initial user namespace, because records
 *            of the kernel's tracepoints may be about other users
 *   MISSED   owner, at any time
 *
 * Errors
 *
 *   all      ENOTTY no such request; EFAULT bad address; where the argument begins with
 *            its size: EINVAL smaller than the first version, E2BIG larger than the
 *            kernel's and not 0 there; where only the owner may: EINVAL on a fresh
 *            descriptor, EPERM on a writer's
 *   CHANNEL  EINVAL invalid sizes, kind, policy or watermark (at most half a ring);
 *            EPERM kernel channel without privilege, or a writer's descriptor; EBUSY
 *            after the first START, a second kernel channel, too many sessions, or an
 *            adopted session; ENOSPC too many channels; EDQUOT more than the
 *            module parameters max_session_mb and max_user_mb allow; ENOMEM; EINTR killed
 *   START    EINVAL no channel; EBUSY the session was adopted; ENOMEM
 *   STOP     EINVAL no channel
 *   ENABLE   EINVAL no such event, on above 1, or no kernel channel; EBUSY the session was
 *            adopted; EOPNOTSUPP this kernel cannot produce the event; ENOMEM
 *   FILTER   EINVAL no such event, no kernel channel, or an invalid program, ktrace_match.h;
 *            EBUSY the session was adopted; EOPNOTSUPP this kernel cannot produce the event;
 *            EDQUOT as CHANNEL; ENOMEM
 *   FOLLOW   EINVAL pid below 0, or no kernel channel; EBUSY the session was adopted;
 *            ESRCH no such process, or it is exiting; EPERM without CAP_PERFMON: a process of
 *            another user, or that ptrace(2) may not read, or KTRACE_FOLLOW_ALL
 *   ATTACH   EINVAL reserved is not 0; EBUSY not a fresh descriptor; ENOENT no such
 *            session; EPERM another user's session; ENXIO it has no user channel; EDQUOT its
 *            user would hold more than max_user_mb of other users' sessions; ENOMEM
 *   KEEP     EINVAL neither 0 nor 1
 *   KEPT     ENOENT no session has that index
 *   CONTEXT  EINVAL no such event, unknown bits, bits of a counter that was not created, no
 *            kernel channel; EBUSY the session was started, and the event is enabled, or nothing
 *            was asked for before; EPERM without privilege; EOPNOTSUPP no cgroups in this kernel;
 *            EDQUOT as CHANNEL; ENOMEM
 *   COUNTER  EINVAL type or config, reserved or index not 0, or no kernel channel; EBUSY the
 *            session was started; EPERM without privilege; ENOSPC there are 8; EOPNOTSUPP this
 *            machine has no such counter; EDQUOT; ENOMEM; or as perf_event_open(2)
 *   STACKS   EINVAL no kernel channel, invalid pos, no room for an entry
 *   ADOPT    EINVAL channels is not 0; EBUSY not a fresh descriptor; ENOENT no kept session has
 *            that id; EPERM another user's session, or kernel events without privilege
 *   TRACEPOINT  EINVAL no such event, id or reserved is not 0, or no kernel channel; EBUSY the
 *            session was adopted; EPERM, EACCES without privilege; EOPNOTSUPP it cannot be
 *            done; ENOSPC; ENOMEM
 *   MISSED   EINVAL the session has no such event from TRACEPOINT, or reserved is not 0
 *
 * mmap()     ENXIO no session, or no such channel; EINVAL beyond the channel's end, or
 *            MAP_PRIVATE; EPERM executable, writable beyond section 2, or a kernel channel
 *            and not the owner; EACCES writable with a descriptor opened for reading.
 *            Rights cannot be added later with mprotect(). fork() inherits a writer's
 *            mapping, but not an owner's.
 * poll()     POLLIN a ring holds its watermark of unread bytes (a ring smaller than twice
 *            the watermark: half of it); a sleeper is woken at most 10 ms later, or 1 ms for
 *            each 100 rings if a session has more than 1000. POLLHUP processes were followed
 *            or writers had mappings, and none of either is left; POLLERR not an owner
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
