// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * table.c - the table of chunks: making, deleting, flags, selection, links
 *
 * Each function is one step under the lock. The rules are in shark.h.
 */
#include "shark.h"
#include "chunk.h"
#include "writer.h"

#define ALL_FLAGS 0x7fu

/** kt_shark_init - initialise a tracer without chunks */
void kt_shark_init(struct kt_shark *t, __u32 clock)
{
	int n;

	*t = (struct kt_shark){ .clock = clock, .selected = KT_SHARK_NONE };
	t->target = &t->nowhere;
	kt_shark_set_special(t);
	for (n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		t->chunks[n].next = KT_SHARK_NONE;
}

static bool is_available(const struct kt_shark_chunk *c)
{
	return (c->flags & FTRACE_CHUNK_FLAG_FREE) && !(c->flags & KT_SHARK_STATE_FLAGS);
}

static void unlink_next(struct kt_shark *t, struct kt_shark_chunk *c)
{
	if (c->next != KT_SHARK_NONE)
		t->chunks[c->next].links--;
	c->next = KT_SHARK_NONE;
}

/**
 * kt_shark_enable - store events from now on
 * @t:		the tracer
 *
 * Return: 0, also if already enabled; -ENODEV there never was a chunk; -ENOENT none is selected;
 * -EDEADLK.
 */
int kt_shark_enable(struct kt_shark *t)
{
	struct kt_shark_here here;
	int err = kt_shark_begin(t, &here);

	if (err)
		return err;
	if (!t->is_init) {
		err = -ENODEV;
	} else if (t->selected == KT_SHARK_NONE) {
		err = -ENOENT;
	} else {
		t->is_enabled = 1;
		kt_shark_aim(t);
	}
	kt_shark_done(t, &here);
	return err;
}

/**
 * kt_shark_disable - store no events from now on
 * @t:		the tracer
 *
 * Return: 0; -ENODEV there never was a chunk; -EDEADLK.
 */
int kt_shark_disable(struct kt_shark *t)
{
	struct kt_shark_here here;
	int err = kt_shark_begin(t, &here);

	if (err)
		return err;
	err = t->is_init ? 0 : -ENODEV;
	t->is_enabled = 0;
	kt_shark_aim(t);
	kt_shark_done(t, &here);
	return err;
}

/** kt_shark_check_flags - return 0; -EINVAL no chunk can have such flags */
int kt_shark_check_flags(__u32 flags)
{
	if (flags & ~ALL_FLAGS || (flags & KTRACE_SHARK_MODE_MASK) == KTRACE_SHARK_MODE_MASK)
		return -EINVAL;
	return 0;
}

/**
 * kt_shark_check_create - check the parameters of a chunk
 * @normal_size: bytes
 * @emergency_size: bytes
 * @flags:	FTRACE_CHUNK_FLAG_*
 *
 * Return: 0; -EINVAL sizes that are no multiple of 16, an empty normal area, invalid flags.
 */
int kt_shark_check_create(int normal_size, int emergency_size, __u32 flags)
{
	const int unit = sizeof(struct ktrace_shark_event);

	if (normal_size <= 0 || emergency_size < 0 || normal_size % unit || emergency_size % unit)
		return -EINVAL;
	return kt_shark_check_flags(flags);
}

static int free_slot(const struct kt_shark *t)
{
	int n;

	for (n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		if (!t->chunks[n].slots)
			return n;
	return -ENOSPC;
}

/**
 * kt_shark_create - create a chunk
 * @t:		the tracer
 * @memory:	for both areas, aligned for events
 * @normal_size: bytes; kt_shark_check_create() has accepted them
 * @emergency_size: bytes
 * @flags:	FTRACE_CHUNK_FLAG_*
 *
 * Return: its number, the lowest that is free; -ENOSPC none is; -EDEADLK.
 */
int kt_shark_create(struct kt_shark *t, void *memory, int normal_size, int emergency_size,
		    __u32 flags)
{
	struct kt_shark_here here;
	struct kt_shark_chunk *c;
	int n = kt_shark_begin(t, &here);

	if (n)
		return n;
	t->is_init = 1;
	n = free_slot(t);
	if (n >= 0) {
		c = &t->chunks[n];
		*c = (struct kt_shark_chunk){
			.pos = memory,
			.slots = memory,
			.normal_nr = (__u32)normal_size / sizeof(*c->slots),
			.emergency_nr = (__u32)emergency_size / sizeof(*c->slots),
			.flags = flags & ~(__u32)KT_SHARK_STATE_FLAGS,
			.next = KT_SHARK_NONE,
		};
		kt_shark_set_limit(c);
	}
	kt_shark_done(t, &here);
	return n;
}

static int delete_locked(struct kt_shark *t, int n, void **memory)
{
	struct kt_shark_chunk *c = kt_shark_find(t, n);

	if (!c)
		return -ENOENT;
	if (c->flags & FTRACE_CHUNK_FLAG_NODEL)
		return 0;
	if (c->flags & FTRACE_CHUNK_FLAG_BUSY || c->links || t->selected == n)
		return -EBUSY;
	unlink_next(t, c);
	kt_shark_forget(t, c);
	*memory = c->slots;
	*c = (struct kt_shark_chunk){ .next = KT_SHARK_NONE };
	return 0;
}

/**
 * kt_shark_delete - delete a chunk
 * @t:		the tracer
 * @n:		its number
 * @memory:	out: the memory it was made of, or NULL
 *
 * Return: 0, also if NODEL keeps it; -ENOENT no such chunk; -EBUSY it is selected, linked to, or
 * BUSY; -EDEADLK.
 */
int kt_shark_delete(struct kt_shark *t, int n, void **memory)
{
	struct kt_shark_here here;
	int err = kt_shark_begin(t, &here);

	*memory = NULL;
	if (err)
		return err;
	err = delete_locked(t, n, memory);
	kt_shark_done(t, &here);
	return err;
}

/**
 * kt_shark_set_flags - replace the flags of a chunk
 * @t:		the tracer
 * @n:		its number
 * @flags:	FTRACE_CHUNK_FLAG_*; BUSY and COMPR stay as they are
 *
 * Return: 0; -ENOENT no such chunk; -EINVAL invalid flags; -EDEADLK.
 */
int kt_shark_set_flags(struct kt_shark *t, int n, __u32 flags)
{
	struct kt_shark_here here;
	int err = kt_shark_check_flags(flags);
	struct kt_shark_chunk *c;

	if (!err)
		err = kt_shark_begin(t, &here);
	if (err)
		return err;
	c = kt_shark_find(t, n);
	if (c)
		kt_shark_put_flags(t, n, flags, c->flags & KT_SHARK_STATE_FLAGS);
	kt_shark_done(t, &here);
	return c ? 0 : -ENOENT;
}

/**
 * kt_shark_get_flags - get the current flags of a chunk
 * @t:		the tracer
 * @n:		its number
 * @flags:	out
 *
 * Return: 0; -ENOENT no such chunk; -EDEADLK.
 */
int kt_shark_get_flags(struct kt_shark *t, int n, FTrace_flags *flags)
{
	const struct kt_shark_chunk *c;
	struct kt_shark_here here;
	int err = kt_shark_begin(t, &here);

	if (err)
		return err;
	c = kt_shark_find(t, n);
	if (c)
		*flags = (FTrace_flags)c->flags;
	kt_shark_done(t, &here);
	return c ? 0 : -ENOENT;
}

static int select_locked(struct kt_shark *t, int n)
{
	struct kt_shark_chunk *c = kt_shark_find(t, n);

	if (!c)
		return -ENOENT;
	if (!is_available(c))
		return -EBUSY;
	kt_shark_take(t, c);
	t->selected = n;
	kt_shark_aim(t);
	return 0;
}

/**
 * kt_shark_select - send events to a chunk
 * @t:		the tracer
 * @n:		its number
 *
 * Return: 0; -ENOENT no such chunk; -EBUSY it is not FREE, or is BUSY or COMPR; -EDEADLK.
 */
int kt_shark_select(struct kt_shark *t, int n)
{
	struct kt_shark_here here;
	int err = kt_shark_begin(t, &here);

	if (err)
		return err;
	err = select_locked(t, n);
	kt_shark_done(t, &here);
	return err;
}

static int link_locked(struct kt_shark *t, int a, int b)
{
	struct kt_shark_chunk *from = kt_shark_find(t, a), *to = kt_shark_find(t, b);

	if (!from || !to)
		return -ENOENT;
	if (a == b)
		return -EINVAL;
	if (!is_available(to))
		return -EBUSY;
	kt_shark_take(t, to);
	unlink_next(t, from);
	from->next = b;
	to->links++;
	return 0;
}

/**
 * kt_shark_link - link a chunk after another, in place of an earlier one
 * @t:		the tracer
 * @a:		number of the first
 * @b:		number of the one that follows it
 *
 * Return: 0; -ENOENT no such chunk; -EINVAL both are the same; -EBUSY @b is not FREE, or is BUSY or
 * COMPR; -EDEADLK.
 */
int kt_shark_link(struct kt_shark *t, int a, int b)
{
	struct kt_shark_here here;
	int err = kt_shark_begin(t, &here);

	if (err)
		return err;
	err = link_locked(t, a, b);
	kt_shark_done(t, &here);
	return err;
}

/**
 * kt_shark_first - find the lowest chunk that has any of the given flags
 * @t:		the tracer
 * @flags:	the flags; CYC, which is 0, finds none
 *
 * Return: its number; -ENOENT no such chunk; -EDEADLK.
 */
int kt_shark_first(struct kt_shark *t, __u32 flags)
{
	struct kt_shark_here here;
	int n, found = -ENOENT;
	int err = kt_shark_begin(t, &here);

	if (err)
		return err;
	for (n = 0; n < KTRACE_SHARK_CHUNK_NR && found < 0; n++)
		if (t->chunks[n].slots && t->chunks[n].flags & flags)
			found = n;
	kt_shark_done(t, &here);
	return found;
}

/**
 * kt_shark_status - get the status of a chunk
 * @t:		the tracer
 * @n:		its number
 * @status:	out
 *
 * Return: 0; -ENOENT no such chunk; -EDEADLK.
 */
int kt_shark_status(struct kt_shark *t, int n, struct FTrace_Chunk *status)
{
	struct kt_shark_here here;
	int err = kt_shark_begin(t, &here);

	if (err)
		return err;
	if (kt_shark_find(t, n))
		kt_shark_describe(t, n, status);
	else
		err = -ENOENT;
	kt_shark_done(t, &here);
	return err;
}

/**
 * kt_shark_lost - count the events lost since the tracer was initialised
 * @t:		the tracer
 * @reason:	enum ktrace_shark_lost
 * @count:	out
 *
 * Return: 0; -EINVAL no such reason; -EDEADLK.
 */
int kt_shark_lost(struct kt_shark *t, __u32 reason, __u64 *count)
{
	struct kt_shark_here here;
	int n, err = reason < KTRACE_SHARK_LOST_NR ? kt_shark_begin(t, &here) : -EINVAL;

	if (err)
		return err;
	*count = kt_load(&t->lost[reason]);
	for (n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		*count += reason == KTRACE_SHARK_LOST_OVERWRITTEN ?
			  kt_shark_overwritten(&t->chunks[n]) : t->chunks[n].lost[reason];
	kt_shark_done(t, &here);
	return 0;
}
