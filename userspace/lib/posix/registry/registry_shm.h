/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * registry_shm.h - who is traced into which stream: a file shared by all processes of a user
 *
 *   /dev/shm/ktrace-posix-<uid>	0600; in a PID namespace -<its number> follows, and if
 *				another user has the name, a dot and 16 random digits
 *
 *	streams		64 of them, numbers are bits of the masks below
 *	processes	by pid and start time: a mask of the streams each is in
 *	names		of event types: index + POSIX_ID_USER is the id
 *
 * The first process makes it, controller or traced program, and the last one removes it.
 * Every process that has it mapped can write to all of it, so a reader checks each word
 * before use. Places are claimed by compare-and-swap, and the word names the claimer: if a
 * process dies half way, the next one that comes undoes what it had begun.
 *
 * An event is recorded into the streams of
 *
 *	process.streams & registry.running
 *
 * that do not filter it out. `running` loses a stream's bit when its controller stops it, or
 * when a writer has found it full, which also sets the bit in `full`.
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

/* States of a place, in the lowest two bits of its word. Zero memory is free. */
enum posix_place_state {
	POSIX_PLACE_FREE = 0,
	POSIX_PLACE_CLAIMED = 1,	/* being filled in */
	POSIX_PLACE_READY = 2,
	POSIX_PLACE_CLOSING = 3,	/* being emptied */
};

#define POSIX_WHERE_SIZE 112

#define POSIX_PLACE_SHIFT 2		/* above it: the pid of who claims or empties it */

/**
 * struct posix_owner - a process, told apart from others that get its pid later
 * @pid:	process id
 * @start:	start time, as /proc/PID/stat has it
 */
struct posix_owner {
	__s32 pid;
	__u32 reserved;
	__u64 start;
};

/**
 * struct posix_registry_stream - an active stream
 * @word:	state, pid, and above them, in bits 32..63, the generation: how often the place has
 *		been claimed. Streams that have one place after the other have different words.
 * @owner:	controller; whole if the place is READY
 * @max_data:	bytes of data recorded of an event
 * @policy:	POSIX_TRACE_LOOP, ...
 * @is_waiting:	a reader waits until something is recorded: futex
 * @news:	futex: counts what a reader should look at
 * @where:	session, as KTRACE_SESSION has it; from before it is READY until it is released
 * @filter:	bit of each id that is not recorded
 * @types:	bit of each type of programs that its processes have opened, or its controller
 * @missed:	events of processes that could not map its rings
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
 * @streams:	bit of each stream it is in
 * @pid:	0 = the place is free, -PID = that process is taking it
 * @start:	start time; 0 = not known yet
 * @opened:	bit of each event type that its present program has opened
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
 * @state:	enum posix_place_state; with CLAIMED, the pid of who fills it in is above: names.c.
 *		CLOSING: nobody's, and left out
 * @text:	NUL-terminated; @text[0] of place 0, the unnamed event's, stays empty
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
 * @inode:	number of the file, of which the one under the registry's name is to be told apart
 * @running:	streams that record
 * @full:	streams that stopped by themselves, and restart when they have been read
 * @inherit:	streams into which children of traced processes are traced
 * @all:	streams of all processes (POSIX_TRACE_ALLPROC)
 * @name_nr:	names that are claimed, from the first one on without gaps; a hint
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

/* Streams run, or do not, from now on. */
static inline void posix_run(struct posix_registry *b, __u64 streams)
{
	/* ORD(posix_run:A) pairs ORD(order_clock:A): START has the lower stamp */
	__atomic_fetch_or(&b->running, streams, __ATOMIC_RELEASE);
}

/* Return: those that did. */
static inline __u64 posix_halt(struct posix_registry *b, __u64 streams)
{
	return __atomic_fetch_and(&b->running, ~streams, __ATOMIC_RELAXED) & streams;
}

/* Of a place, from its word */
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
 * ktrace_posix_registry_map - map the registry of a user, which is made if there is none
 * @uid:	the user
 * @out:	the registry
 *
 * Return: a descriptor: until it is let go nobody removes the registry, so the caller can take a
 * place; or -errno: -EPERM something else is there under its name, -EPROTONOSUPPORT it is of
 * another version.
 */
int ktrace_posix_registry_map(uid_t uid, struct posix_registry **out);

/** ktrace_posix_registry_let_go - close what ktrace_posix_registry_map() has returned */
void ktrace_posix_registry_let_go(int fd);

/**
 * ktrace_posix_registry_hold - the same for a registry that is mapped
 *
 * Return: a descriptor, to be closed; -ENOENT the registry has been removed, and others have or
 * make a new one.
 */
int ktrace_posix_registry_hold(const struct posix_registry *b, uid_t uid);

/**
 * ktrace_posix_registry_uid - whose registry is mapped: a process has its own or, a keeper,
 * another's
 */
extern uid_t ktrace_posix_registry_uid;

/** ktrace_posix_registry_sweep - free the places of streams whose controller is gone */
void ktrace_posix_registry_sweep(struct posix_registry *b);

/** ktrace_posix_registry_is_used - whether a stream, or a process that lives, has a place */
bool ktrace_posix_registry_is_used(const struct posix_registry *b);

/** ktrace_posix_registry_remove - remove the registry if nobody has a place in it any more */
void ktrace_posix_registry_remove(struct posix_registry *b, uid_t uid);

#define POSIX_START_UNKNOWN (~0ull)

/**
 * ktrace_posix_start_time - what tells a process from others that had its pid
 * @pid:	process id
 * @uid:	out: the user whose files in /proc it has
 *
 * Return: the time, 0 = there is no such process, or it has ended, with all its threads;
 * POSIX_START_UNKNOWN = there is, but it cannot be looked at, for want of a descriptor for example.
 */
__u64 ktrace_posix_start_time(pid_t pid, uid_t *uid);

/** ktrace_posix_owner_lives - whether a process has not ended, as far as can be told */
bool ktrace_posix_owner_lives(const struct posix_owner *o);

/** ktrace_posix_registry_find - the place of a process, NULL = it has none */
struct posix_registry_process *ktrace_posix_registry_find(struct posix_registry *b, pid_t pid,
							  __u64 start);

/**
 * ktrace_posix_registry_process - the place of a process, which gets one if it has none
 * @b:		the registry
 * @pid:	the process
 * @start:	its start time
 * @is_new:	out: it had none
 *
 * Return: NULL if all are taken.
 */
struct posix_registry_process *ktrace_posix_registry_process(struct posix_registry *b, pid_t pid,
							     __u64 start, bool *is_new);

/**
 * ktrace_posix_registry_trace - a process is in a stream from now on
 * @b:		the registry
 * @pid:	the process
 * @start:	its start time
 * @streams:	bit of the stream
 *
 * Return: false if it has no place, and all are taken.
 */
bool ktrace_posix_registry_trace(struct posix_registry *b, pid_t pid, __u64 start, __u64 streams);

/** ktrace_posix_registry_leave - free all places of a process */
void ktrace_posix_registry_leave(struct posix_registry *b, const struct posix_owner *o);

/**
 * ktrace_posix_registry_stream - take a place for a stream
 * @b:		the registry
 * @owner:	its controller
 *
 * Return: its number, state CLAIMED; -EAGAIN all are taken by controllers that live.
 */
int ktrace_posix_registry_stream(struct posix_registry *b, const struct posix_owner *owner);

/**
 * ktrace_posix_registry_publish - a place that was taken has all that it has to. Return: its word
 */
__u64 ktrace_posix_registry_publish(struct posix_registry *b, __u32 stream);

/**
 * ktrace_posix_registry_close - nobody is traced into the stream any more
 * @b:		the registry
 * @stream:	its place
 * @word:	as the place was last seen
 *
 * Return: whether the place is this process's, to be released; another one has buried the stream
 * otherwise.
 */
bool ktrace_posix_registry_close(struct posix_registry *b, __u32 stream, __u64 word);

/**
 * ktrace_posix_place_where - a copy of where a stream's session is
 *
 * Context: any thread, any signal handler.
 * Return: false if it makes no sense.
 */
bool ktrace_posix_place_where(const struct posix_registry_stream *s, char where[POSIX_WHERE_SIZE]);

/** ktrace_posix_registry_release - free a place that was closed */
void ktrace_posix_registry_release(struct posix_registry *b, __u32 stream);

/**
 * ktrace_posix_registry_disown - free the places of streams that a process's image before has made
 */
void ktrace_posix_registry_disown(struct posix_registry *b, const struct posix_owner *o);

/** ktrace_posix_registry_bury - free the place of a stream, seen as @word, whose owner is gone */
void ktrace_posix_registry_bury(struct posix_registry *b, __u32 stream, __u64 word);

#endif
