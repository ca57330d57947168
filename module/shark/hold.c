// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * hold.c - chunks that are BUSY: held by the function that sends or compresses them
 *
 *   kt_shark_hold() --> BUSY --kt_shark_release()--> new flags
 *                         \----kt_shark_restore()--> as before
 *
 * While it is BUSY, nothing is stored in a chunk, and nobody can take it into use or delete it.
 */
#include "shark.h"
#include "store.h"

/**
 * kt_shark_hold - have a chunk for oneself
 * @t:		the tracer
 * @n:		its number
 * @view:	what it holds; out. Of its flags BUSY is not set
 *
 * Return: 0; -ENOENT there is none; -EBUSY somebody else has it; -EDEADLK.
 */
int kt_shark_hold(struct kt_shark *t, int n, struct kt_shark_view *view)
{
	struct kt_shark_here here;
	struct kt_shark_chunk *c;
	int err = kt_shark_begin(t, &here);

	if (err)
		return err;
	c = kt_shark_find(t, n);
	if (!c) {
		err = -ENOENT;
	} else if (c->flags & FTRACE_CHUNK_FLAG_BUSY) {
		err = -EBUSY;
	} else {
		view->slots = c->slots;
		kt_shark_describe(t, (__u32)n, &view->status);
		c->flags |= FTRACE_CHUNK_FLAG_BUSY;
		kt_shark_set_limit(c);
	}
	kt_shark_done(t, &here);
	return err;
}

/**
 * kt_shark_release - the end of BUSY, with other flags
 * @t:		the tracer
 * @n:		its number; the caller has it
 * @new_flags:	FTRACE_CHUNK_FLAG_*; kt_shark_check_flags() has been asked
 *
 * If it is FREE or COMPR from now on, it is not selected any more.
 */
void kt_shark_release(struct kt_shark *t, int n, __u32 new_flags)
{
	struct kt_shark_chunk *c = &t->chunks[n];
	struct kt_shark_here here;
	__u32 compr;

	if (kt_shark_begin(t, &here))
		return;
	compr = c->flags & FTRACE_CHUNK_FLAG_COMPR;
	if (t->selected == n && (compr || new_flags & FTRACE_CHUNK_FLAG_FREE)) {
		t->selected = KT_SHARK_NONE;
		kt_shark_aim(t);
	}
	kt_shark_put_flags(t, n, new_flags, compr);
	kt_shark_done(t, &here);
}

/**
 * kt_shark_restore - the end of BUSY, as if nothing had been
 * @t:		the tracer
 * @n:		its number; the caller has it
 */
void kt_shark_restore(struct kt_shark *t, int n)
{
	struct kt_shark_chunk *c = &t->chunks[n];
	struct kt_shark_here here;

	if (kt_shark_begin(t, &here))
		return;
	kt_shark_put_flags(t, n, c->flags, c->flags & FTRACE_CHUNK_FLAG_COMPR);
	kt_shark_done(t, &here);
}

/**
 * kt_shark_replace - give a chunk its content, compressed, instead of its memory
 * @t:		the tracer
 * @n:		its number; the caller has it
 * @memory:	the compressed data
 * @bytes:	their number
 *
 * Return: the memory it had, or NULL if that could not be done.
 */
void *kt_shark_replace(struct kt_shark *t, int n, void *memory, __u64 bytes)
{
	struct kt_shark_chunk *c = &t->chunks[n];
	struct kt_shark_here here;
	struct FTrace_Chunk was;
	void *before;

	if (kt_shark_begin(t, &here))
		return NULL;
	kt_shark_describe(t, (__u32)n, &was);
	before = c->slots;
	c->lost[KTRACE_SHARK_LOST_OVERWRITTEN] = was.lost[KTRACE_SHARK_LOST_OVERWRITTEN];
	c->packed = was.events + was.emergency_events;
	c->laps = 0;
	c->emergency_used = 0;
	c->slots = memory;
	c->pos = memory;
	c->bytes = bytes;
	c->flags |= FTRACE_CHUNK_FLAG_COMPR;
	kt_shark_set_limit(c);
	kt_shark_done(t, &here);
	return before;
}

/** kt_shark_event_at - event @i of a chunk that is not compressed, the oldest is 0 */
const struct ktrace_shark_event *kt_shark_event_at(const struct kt_shark_view *view, __u32 i)
{
	const __u32 normal_nr = view->status.size / (__u32)sizeof(*view->slots);
	const __u32 events = view->status.events;

	if (i < events)
		return &view->slots[((__u64)view->status.first + i) % normal_nr];
	return &view->slots[normal_nr + (i - events)];
}
