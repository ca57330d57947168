/* SPDX-License-Identifier: LGPL-2.1 */
/* own.h - the recordings that this process takes part in */
#ifndef KTRACE_WRITER_OWN_H
#define KTRACE_WRITER_OWN_H

#include <stdbool.h>
#include <stdint.h>

#define KTRACE_LIBRARY
#include <ktrace/writer.h>

#include "channel.h"

#define OWN_CHANNELS 8u

/*
 * The process's first channel, NULL = none: the one that events have the ids of, and that programs
 * write to by themselves. Dereference it only between own_enter() and own_exit().
 */
extern struct channel *own_channel;

/* All channels of the process, own_channel among them, by channel.index; as above */
extern struct channel *own_channels[OWN_CHANNELS];

/* A bit for each of them */
extern __u32 own_mask;

/**
 * struct own_others - what a thread has for the channels that are not the first one, by index
 * @held:	the channel that the thread holds
 * @words:	its words for it
 */
struct own_others {
	struct channel *held[OWN_CHANNELS];
	struct ktrace_thread words[OWN_CHANNELS];
};

extern __thread struct own_others *own_others
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The library writes each event to all channels that want it. */
extern bool own_has_many;

/* True if the process takes part in a recording. */
static inline bool own_is_there(void)
{
	return __atomic_load_n(&own_channel, __ATOMIC_RELAXED);
}

static inline bool own_is_many(void)
{
	/* ORD(own_many:A) pairs ORD(own_set_many:A): ids and channels are complete */
	return __atomic_load_n(&own_has_many, __ATOMIC_ACQUIRE);
}

/* The channel that the thread holds, and the frame of its outermost use of the library */
extern __thread struct channel *own_held
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread uintptr_t own_outermost
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

struct channel *own_borrow(struct channel **place);
void own_return(struct channel *ch);
struct channel *own_enter_slow(uintptr_t frame);
struct channel *own_again(void);
struct channel *own_known(void);

/**
 * own_enter - begin to use the process's channel
 * @frame:	of the caller
 *
 * Return: the channel, which stays mapped until own_exit(); NULL: none, or it must not be used
 * because the caller has interrupted a use of another one.
 *
 * Context: any; own_exit() has to follow.
 */
static inline struct channel *own_enter(uintptr_t frame)
{
	struct channel *ch;

	if (kt_unlikely(own_outermost))
		return own_enter_slow(frame);
	own_outermost = frame;
	kt_barrier();	/* a handler finds this frame, and moves the thread to no other channel */
	/* The thread's own channel, if that is still the process's, needs no order. */
	ch = __atomic_load_n(&own_channel, __ATOMIC_RELAXED);
	return kt_likely(own_held == ch) ? ch : own_enter_slow(frame);
}

/* own_is_outermost - true if the caller of own_enter() has not interrupted another one */
static inline bool own_is_outermost(uintptr_t frame)
{
	return own_outermost == frame;
}

/* own_is_interrupting - true if own_use() gives NULL as the caller must not move its thread */
static inline bool own_is_interrupting(__u32 index, uintptr_t frame)
{
	return own_others && own_others->held[index] && !own_is_outermost(frame);
}

/* own_exit - end what own_enter() with the same frame has begun */
static inline void own_exit(uintptr_t frame)
{
	kt_barrier();
	if (kt_likely(own_outermost == frame))
		own_outermost = 0;
}

struct channel *own_use_slow(__u32 index, uintptr_t frame, struct ktrace_thread **t);

/**
 * own_use - get a channel and the thread's words for it
 * @index:	its place, below OWN_CHANNELS
 * @frame:	the caller is between own_enter() and own_exit() with this frame
 * @t:		out: the words
 *
 * Return: the channel, which stays mapped until own_exit(); NULL: there is none, or the caller has
 * interrupted a use of a former one. The lack of memory for the words is counted.
 */
static inline struct channel *own_use(__u32 index, uintptr_t frame, struct ktrace_thread **t)
{
	/* What the thread holds needs no order. */
	struct channel *ch = __atomic_load_n(&own_channels[index], __ATOMIC_RELAXED);

	if (kt_likely(ch && own_others && own_others->held[index] == ch)) {
		*t = &own_others->words[index];
		return ch;
	}
	*t = &ktrace_thread;
	return ch && ch == own_held ? ch : own_use_slow(index, frame, t);
}

struct channel *own_each(__u32 *index, uintptr_t frame, struct ktrace_thread **t);
struct channel *own_each_held(__u32 *index, struct ktrace_thread **t);

struct channel *own_alloc(void);
void own_free(struct channel *ch);
int own_find_place(void);
void own_publish(struct channel *ch);
void own_set_many(bool is_many);
bool own_has_session(__u64 session);
struct channel *own_next_first(const struct channel *leaving);
void own_leave(struct channel *ch);
void own_pin(void);
void own_forget(void);
void own_after_fork(void);
void own_thread_ends(void);
void own_note_thread(void);

#endif
