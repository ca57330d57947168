// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * chunk.c - the state of a chunk, and which one is the target: each change one step
 *
 * The caller holds the lock. The rules are in shark.h.
 */
#include "chunk.h"

/** kt_shark_set_special - update special after families or the clock have changed */
void kt_shark_set_special(struct kt_shark *t)
{
	const __u32 families = t->off | 1u << (FTrace_EVT_next_chunk & FTrace_family_mask);

	t->special = t->clock == KTRACE_CLOCK_COUNTER ? families | families << 16 : ~0u;
}

/** kt_shark_find - return chunk @n, NULL: there is none */
struct kt_shark_chunk *kt_shark_find(struct kt_shark *t, int n)
{
	if (n < 0 || n >= KTRACE_SHARK_CHUNK_NR || !t->chunks[n].slots)
		return NULL;
	return &t->chunks[n];
}

/** kt_shark_set_limit - update a chunk's limit after its flags or position have changed */
void kt_shark_set_limit(struct kt_shark_chunk *c)
{
	struct ktrace_shark_event *end = c->slots + c->normal_nr;

	if (c->flags & (KT_SHARK_STATE_FLAGS | FTRACE_CHUNK_FLAG_FULL) || c->pos == end)
		c->limit = c->pos;
	else
		c->limit = end - 1;
}

/** kt_shark_aim - update target after selecting or enabling */
void kt_shark_aim(struct kt_shark *t)
{
	if (t->is_enabled && t->selected != KT_SHARK_NONE)
		t->target = &t->chunks[t->selected];
	else
		t->target = &t->nowhere;
}

/** kt_shark_overwritten - return the number of a chunk's events that newer ones have overwritten */
__u64 kt_shark_overwritten(const struct kt_shark_chunk *c)
{
	const __u64 before = c->lost[KTRACE_SHARK_LOST_OVERWRITTEN];

	if (!c->laps)
		return before;
	return before + (c->laps - 1) * c->normal_nr + (__u64)(c->pos - c->slots);
}

/** kt_shark_forget - add a chunk's counts to the tracer's sums */
void kt_shark_forget(struct kt_shark *t, struct kt_shark_chunk *c)
{
	__u32 i;

	c->lost[KTRACE_SHARK_LOST_OVERWRITTEN] = kt_shark_overwritten(c);
	for (i = 0; i < KTRACE_SHARK_LOST_NR; i++)
		if (c->lost[i])
			kt_count(&t->lost[i], c->lost[i]);
}

/** kt_shark_take - take a FREE chunk into use */
void kt_shark_take(struct kt_shark *t, struct kt_shark_chunk *c)
{
	__u32 i;

	kt_shark_forget(t, c);
	for (i = 0; i < KTRACE_SHARK_LOST_NR; i++)
		c->lost[i] = 0;
	c->laps = 0;
	c->emergency_used = 0;
	c->pos = c->slots;
	c->flags &= ~(__u32)(FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_FULL);
	kt_shark_set_limit(c);
}

/** kt_shark_put_flags - replace the flags of chunk @n by @flags and @state */
void kt_shark_put_flags(struct kt_shark *t, int n, __u32 flags, __u32 state)
{
	struct kt_shark_chunk *c = &t->chunks[n];
	const bool is_put_away = flags & FTRACE_CHUNK_FLAG_FREE && t->selected != n;

	flags = (flags & ~(__u32)KT_SHARK_STATE_FLAGS) | state;
	if (c->emergency_used && !is_put_away)
		flags |= FTRACE_CHUNK_FLAG_FULL;
	c->flags = flags;
	kt_shark_set_limit(c);
}

/** kt_shark_describe - fill in the status of chunk @n, which exists */
void kt_shark_describe(const struct kt_shark *t, __u32 n, struct FTrace_Chunk *status)
{
	const struct kt_shark_chunk *c = &t->chunks[n];
	const __u32 pos = (__u32)(c->pos - c->slots);
	__u32 i;

	*status = (struct FTrace_Chunk){
		.id = KTRACE_SHARK_CHUNK_ID,
		.number = n,
		.flags = (FTrace_flags)c->flags,
		.is_selected = t->selected == (__s32)n,
		.size = c->normal_nr * (__u32)sizeof(*c->slots),
		.emergency_size = c->emergency_nr * (__u32)sizeof(*c->slots),
		.next = c->next,
		.first = c->laps ? pos % c->normal_nr : 0,
		.events = c->laps ? c->normal_nr : pos,
		.emergency_events = c->emergency_used,
		.bytes = c->bytes,
	};
	if (c->flags & FTRACE_CHUNK_FLAG_COMPR)
		status->events = c->packed;
	for (i = 0; i < KTRACE_SHARK_LOST_NR; i++)
		status->lost[i] = c->lost[i];
	status->lost[KTRACE_SHARK_LOST_OVERWRITTEN] = kt_shark_overwritten(c);
}
