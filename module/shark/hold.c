// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * hold.c - chunks that are BUSY: held by the function that sends or compresses them
 *
 *   kt_shark_hold() --> BUSY --kt_shark_release()--> new flags
 *                         \----kt_shark_restore()--> as before
 *
 * While a chunk is BUSY, nothing is stored in it, and it can be neither taken into use nor deleted.
 */
#include "shark.h"
#include "chunk.h"
#include "writer.h"

/**
 * kt_shark_hold - make a chunk BUSY for the caller
 * @t:		the tracer
 * @n:		its number
 * @view:	out: what it holds; its flags are without BUSY
 *
 * Return: 0; -ENOENT no such chunk; -EBUSY another caller holds it; -EDEADLK.
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
 * kt_shark_release - end BUSY, with new flags
 * @t:		the tracer
 * @n:		its number; the caller holds it
 * @new_flags:	FTRACE_CHUNK_FLAG_*; kt_shark_check_flags() has accepted them
 *
 * If the chunk is FREE or COMPR from now on, it is deselected.
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
 * kt_shark_restore - end BUSY, with the flags from before
 * @t:		the tracer
 * @n:		its number; the caller holds it
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
 * kt_shark_replace - replace a chunk's memory by its compressed content
 * @t:		the tracer
 * @n:		its number; the caller holds it
 * @memory:	the compressed data
 * @bytes:	their number
 *
 * Return: the memory it had before, or NULL on failure.
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

/** kt_shark_event_at - return event @i of a chunk that is not compressed; the oldest is 0 */
const struct ktrace_shark_event *kt_shark_event_at(const struct kt_shark_view *view, __u32 i)
{
	const __u32 normal_nr = view->status.size / (__u32)sizeof(*view->slots);
	const __u32 events = view->status.events;

	if (i < events)
		return &view->slots[((__u64)view->status.first + i) % normal_nr];
	return &view->slots[normal_nr + (i - events)];
}
