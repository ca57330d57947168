/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * registry_shm.h - which process is traced into which stream: a file shared by a user's processes
 *
 *   /dev/shm/ktrace-posix-<uid>	0600; in a PID namespace -<its number> follows, and if
 *				another user has the name, a dot and 16 random digits
 *
 *	streams		64; their numbers are bit numbers in the masks below
 *	processes	by pid and start time: a mask of the streams of each
 *	names		of event types: index + POSIX_ID_USER is the id
 *
 * The first process creates it, whether controller or traced program, and the last one removes it.
 * Every process that maps it can write to all of it, so readers check each word before use. Slots
 * are claimed by compare-and-swap, and the word identifies the claimer: if a process dies half way,
 * a later process undoes its work.
 *
 * An event is recorded into the streams of
 *
 *	process.streams & registry.running
 *
 * that do not filter it out. `running` loses a stream's bit when its controller stops it, or when a
 * writer finds it full, which also sets the bit in `full`.
 */
#ifndef KTRACE_POSIX_REGISTRY_REGISTRY_SHM_H
#define KTRACE_POSIX_REGISTRY_REGISTRY_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>
#include "posix/base/event.h"
#include <trace.h>

#define POSIX_REGISTRY_MAGIC 0x6472616fu
#define POSIX_REGISTRY_VERSION 2u

#define POSIX_STREAM_NR 64u		/* TRACE_SYS_MAX */
#define POSIX_PROCESS_NR 4096u
#define POSIX_NAME_NR (POSIX_ID_NR - POSIX_ID_USER)
#define POSIX_SET_WORDS (POSIX_ID_NR / 64)

/* States of a slot, in the lowest two bits of its word. Zeroed memory is free. */
enum posix_place_state {
	POSIX_PLACE_FREE = 0,
	POSIX_PLACE_CLAIMED = 1,	/* being filled in */
	POSIX_PLACE_READY = 2,
	POSIX_PLACE_CLOSING = 3,	/* being emptied */
};

#define POSIX_WHERE_SIZE 112

#define POSIX_PLACE_SHIFT 2		/* above it: the pid that claims or empties it */

/**
 * struct posix_owner - a process, distinguished from later ones with the same pid
 * @pid:	process id
 * @start:	start time from /proc/PID/stat
 */
struct posix_owner {
	__s32 pid;
	__u32 reserved;
	__u64 start;
};

/**
 * struct posix_registry_stream - an active stream
 * @word:	state, pid, and above them, in bits 32..63, the generation: how often the slot has
 *		been claimed. Successive streams in one slot have different words.
 * @owner:	controller; complete if the slot is READY
 * @max_data:	maximum bytes of data recorded per event
 * @policy:	POSIX_TRACE_LOOP, ...
 * @is_waiting:	a reader waits for events: futex
 * @news:	futex: counts wake-ups for the reader
 * @where:	session, in the format of KTRACE_SESSION; set before READY until the slot is
 *		released
 * @filter:	bits of ids that are not recorded
 * @types:	bits of user types that its processes have opened, or its controller
 * @missed:	events lost in processes that could not map its rings
 */
struct posix_registry_stream {
	__u64 word;
	struct posix_owner owner;
	__u32 max_data;
	__u32 policy;
	__u32 is_waiting;
	__u32 news;
	char where[POSIX_WHERE_SIZE];
	__u64 filter[POSIX_SET_WORDS];
	__u64 types[POSIX_SET_WORDS];
	__u64 missed;
} __attribute__((aligned(64)));

/**
 * struct posix_registry_process - a process that can record or is to be traced
 * @streams:	bits of the streams that trace it
 * @pid:	0 = the slot is free, -PID = that process is claiming it
 * @start:	start time; 0 = not known yet
 * @opened:	bits of event types that its current program has opened
 */
struct posix_registry_process {
	__u64 streams;
	__s32 pid;
	__u32 reserved;
	__u64 start;
	__u8 padding[40];
	__u64 opened[POSIX_SET_WORDS];
} __attribute__((aligned(64)));

/**
 * struct posix_registry_name - name of a user event type
 * @state:	enum posix_place_state; with CLAIMED, the pid of the claimer is above: names.c.
 *		CLOSING: has no owner, and is skipped
 * @text:	NUL-terminated; @text[0] of slot 0, the unnamed type's, stays empty
 */
struct posix_registry_name {
	__u32 state;
	char text[TRACE_EVENT_NAME_MAX + 1];
	__u32 reserved;
};

/**
 * struct posix_registry - the file
 * @magic:	POSIX_REGISTRY_MAGIC
 * @version:	POSIX_REGISTRY_VERSION
 * @size:	sizeof(struct posix_registry)
 * @inode:	inode number, to distinguish the file from another one under the registry's name
 * @running:	streams that record
 * @full:	streams that stopped because they were full, and restart once they have been read
 * @inherit:	streams that children of traced processes inherit
 * @all:	streams of all processes (POSIX_TRACE_ALLPROC)
 * @name_nr:	not used; 0
 */
struct posix_registry {
	__u32 magic;
	__u32 version;
	__u32 size;
	__u32 name_nr;
	__u64 inode;
	__u64 running;
	__u64 full;
	__u64 inherit;
	__u64 all;
	__u8 reserved[8];
	struct posix_registry_stream stream[POSIX_STREAM_NR];
	struct posix_registry_process process[POSIX_PROCESS_NR];
	struct posix_registry_name name[POSIX_NAME_NR];
};

/* Starts streams. */
static inline void posix_run(struct posix_registry *b, __u64 streams)
{
	/* ORD(posix_run:A) pairs ORD(order_clock:A): START has the lower stamp */
	__atomic_fetch_or(&b->running, streams, __ATOMIC_RELEASE);
}

/* Stops streams. Returns those that were running. */
static inline __u64 posix_halt(struct posix_registry *b, __u64 streams)
{
	return __atomic_fetch_and(&b->running, ~streams, __ATOMIC_RELAXED) & streams;
}

/* Returns the state in a slot's word. */
static inline enum posix_place_state posix_place_state(__u64 word)
{
	return (enum posix_place_state)(word & ((1u << POSIX_PLACE_SHIFT) - 1));
}

static inline pid_t posix_place_pid(__u64 word)
{
	return (pid_t)((__u32)word >> POSIX_PLACE_SHIFT);
}

static inline __u64 posix_place_word(enum posix_place_state state, pid_t pid, __u64 generation)
{
	return generation << 32 | (__u32)pid << POSIX_PLACE_SHIFT | state;
}

/**
 * ktrace_posix_registry_map - map the registry of a user, creating it if necessary
 * @uid:	the user
 * @out:	the registry
 *
 * Return: a descriptor that prevents the removal of the registry until
 * ktrace_posix_registry_let_go(), so that the caller can take a slot; or -errno: -EPERM if its name
 * belongs to another file, -EPROTONOSUPPORT if it is of another version.
 */
int ktrace_posix_registry_map(uid_t uid, struct posix_registry **out);

/** ktrace_posix_registry_let_go - close a descriptor of ktrace_posix_registry_map() */
void ktrace_posix_registry_let_go(int fd);

/**
 * ktrace_posix_registry_hold - prevent the removal of a mapped registry
 *
 * Return: a descriptor, to be closed; -ENOENT if the registry has been removed, and others have
 * created or will create a new one.
 */
int ktrace_posix_registry_hold(const struct posix_registry *b, uid_t uid);

/**
 * ktrace_posix_registry_uid - whose registry is mapped: a process has its own or, a keeper,
 * another's
 */
extern uid_t ktrace_posix_registry_uid;

/** ktrace_posix_registry_sweep - free the slots of streams whose controller is gone */
void ktrace_posix_registry_sweep(struct posix_registry *b);

/** ktrace_posix_registry_is_used - true if a stream or a live process has a slot */
bool ktrace_posix_registry_is_used(const struct posix_registry *b);

/** ktrace_posix_registry_remove - remove the registry if no slot is in use */
void ktrace_posix_registry_remove(struct posix_registry *b, uid_t uid);

#define POSIX_START_UNKNOWN (~0ull)

/**
 * ktrace_posix_start_time - get what distinguishes a process from others with its pid
 * @pid:	process id
 * @uid:	out: owner of its files in /proc
 *
 * Return: the time; 0 if there is no such process, or it has ended with all its threads;
 * POSIX_START_UNKNOWN if it exists but cannot be inspected, e.g. for lack of a descriptor.
 */
__u64 ktrace_posix_start_time(pid_t pid, uid_t *uid);

/** ktrace_posix_owner_lives - true if a process seems to be alive */
bool ktrace_posix_owner_lives(const struct posix_owner *o);

/** ktrace_posix_registry_find - find the slot of a process, NULL = none */
struct posix_registry_process *ktrace_posix_registry_find(struct posix_registry *b, pid_t pid,
							  __u64 start);

/**
 * ktrace_posix_registry_process - get the slot of a process, claiming one if necessary
 * @b:		the registry
 * @pid:	the process
 * @start:	its start time
 * @is_new:	out: true if it had none
 *
 * Return: NULL if all slots are taken.
 */
struct posix_registry_process *ktrace_posix_registry_process(struct posix_registry *b, pid_t pid,
							     __u64 start, bool *is_new);

/**
 * ktrace_posix_registry_trace - trace a process into a stream
 * @b:		the registry
 * @pid:	the process
 * @start:	its start time
 * @streams:	bits of the streams
 *
 * Return: false if it has no slot and all are taken.
 */
bool ktrace_posix_registry_trace(struct posix_registry *b, pid_t pid, __u64 start, __u64 streams);

/** ktrace_posix_registry_leave - free all slots of a process */
void ktrace_posix_registry_leave(struct posix_registry *b, const struct posix_owner *o);

/**
 * ktrace_posix_registry_stream - claim a slot for a stream
 * @b:		the registry
 * @owner:	its controller
 *
 * Return: its number, in state CLAIMED; -EAGAIN if all are taken by live controllers.
 */
int ktrace_posix_registry_stream(struct posix_registry *b, const struct posix_owner *owner);

/**
 * ktrace_posix_registry_publish - make a claimed and complete slot READY. Return: its word
 */
__u64 ktrace_posix_registry_publish(struct posix_registry *b, __u32 stream);

/**
 * ktrace_posix_registry_close - stop tracing all processes into a stream
 * @b:		the registry
 * @stream:	its slot
 * @word:	the slot's word as last seen
 *
 * Return: true if this process has the slot and must release it; false if another one has buried
 * the stream.
 */
bool ktrace_posix_registry_close(struct posix_registry *b, __u32 stream, __u64 word);

/**
 * ktrace_posix_place_where - copy the location of a stream's session
 *
 * Context: any thread, any signal handler.
 * Return: false if it is invalid.
 */
bool ktrace_posix_place_where(const struct posix_registry_stream *s, char where[POSIX_WHERE_SIZE]);

/** ktrace_posix_registry_release - free a closed slot */
void ktrace_posix_registry_release(struct posix_registry *b, __u32 stream);

/**
 * ktrace_posix_registry_disown - free a process's stream slots from before exec
 */
void ktrace_posix_registry_disown(struct posix_registry *b, const struct posix_owner *o);

/** ktrace_posix_registry_bury - free the slot of a stream, seen as @word, whose owner is gone */
void ktrace_posix_registry_bury(struct posix_registry *b, __u32 stream, __u64 word);

#endif
