// SPDX-License-Identifier: LGPL-2.1
/*
 * layout.c - the arithmetic of <linux/ktrace.h>, section 2
 *
 *   page 0   control | enable bytes | filter | tails |pad| registry | slots |pad| rings | ...
 *                          CPUs' rings, then threads': each one page of words, then its data
 *
 * Parts with different access rights begin on pages of their own. Every sum is checked: an
 * overflow can only come from sizes that no machine can have.
 */
#include "layout.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "ring/ring.h"

/* Maximum rings of one kind in a channel; CPU numbers and thread ids stay far below. */
#define RING_NR_MAX 8192u

_Static_assert(sizeof(struct ktrace_control) <= LAYOUT_PAGE, "control fits its page");
_Static_assert(sizeof(struct ktrace_ring) <= LAYOUT_PAGE, "a ring's words fit their page");

/* Adds nr * size to *end; returns false on overflow. */
static bool extend(__u64 *end, __u64 nr, __u64 size)
{
	__u64 bytes;

	return !__builtin_mul_overflow(nr, size, &bytes) &&
	       !__builtin_add_overflow(*end, bytes, end);
}

static bool page_align(__u64 *end)
{
	if (__builtin_add_overflow(*end, LAYOUT_PAGE - 1, end))
		return false;
	*end &= ~(__u64)(LAYOUT_PAGE - 1);
	return true;
}

static bool geometry_ok(const struct ktrace_control *c)
{
	if (c->policy >= KTRACE_POLICY_NR || c->cpu_nr > RING_NR_MAX || !c->ring_nr ||
	    c->ring_nr < c->cpu_nr || c->ring_nr - c->cpu_nr > RING_NR_MAX)
		return false;
	return (!c->cpu_nr || kt_ring_geometry_ok(c->ring_size, c->block_size)) &&
	       (c->ring_nr == c->cpu_nr || kt_ring_geometry_ok(c->thread_size, c->block_size));
}

int layout_compute(struct ktrace_control *c)
{
	__u64 end = LAYOUT_PAGE;
	__u32 thread_nr = c->ring_nr - c->cpu_nr;

	if (!geometry_ok(c) || c->registry_size % LAYOUT_PAGE || layout_id_nr(c) > 65536 ||
	    c->filter_size > 65536 || c->note_size > 65536)
		return -EINVAL;
	c->data_off = LAYOUT_PAGE;
	c->ring_stride = c->data_off + c->ring_size;
	c->thread_stride = c->data_off + c->thread_size;
	c->enable_off = (__u32)end;
	end += layout_id_nr(c);
	c->filter_off = (__u32)end;
	end += c->filter_size;
	c->note_off = (__u32)end;
	end = (end + c->note_size + 63) & ~63ull;
	c->tail_off = end;
	if (!extend(&end, c->ring_nr, sizeof(struct ktrace_tail)) || !page_align(&end))
		return -EINVAL;
	c->registry_off = c->registry_size ? end : 0;
	if (!extend(&end, 1, c->registry_size))
		return -EINVAL;
	c->slots_off = c->slot_nr ? end : 0;
	if (!extend(&end, c->slot_nr, c->slot_size) || !page_align(&end))
		return -EINVAL;
	c->rings_off = end;
	if (!extend(&end, c->cpu_nr, c->ring_stride))
		return -EINVAL;
	c->threads_off = end;
	if (!extend(&end, thread_nr, c->thread_stride) || !page_align(&end))
		return -EINVAL;
	c->map_size = end;
	return 0;
}

/* True if nr parts of size bytes, stride apart and starting at off, are below limit. */
static bool inside(__u64 off, __u64 nr, __u64 stride, __u64 size, __u64 limit)
{
	__u64 end = off;

	if (!nr)
		return true;
	if (off % 8 || (nr > 1 && (stride % 8 || stride < size)))
		return false;
	return extend(&end, nr - 1, stride) && extend(&end, 1, size) && end <= limit;
}

int layout_check(const struct ktrace_control *c, __u64 map_size)
{
	__u32 thread_nr = c->ring_nr - c->cpu_nr;
	bool ok = geometry_ok(c) && c->data_off >= sizeof(struct ktrace_ring) &&
		c->data_off <= (1u << 20) && c->data_off % 8 == 0 &&
		inside(c->enable_off, 1, 0, layout_id_nr(c), map_size) &&
		inside(c->filter_off, 1, 0, c->filter_size, map_size) &&
		inside(c->note_off, 1, 0, c->note_size, map_size) &&
		inside(c->tail_off, c->ring_nr, sizeof(struct ktrace_tail),
		       sizeof(struct ktrace_tail), map_size) &&
		inside(c->rings_off, c->cpu_nr, c->ring_stride,
		       c->data_off + c->ring_size, map_size) &&
		inside(c->threads_off, thread_nr, c->thread_stride,
		       c->data_off + c->thread_size, map_size);

	if (ok && c->registry_off)
		ok = c->registry_size >= sizeof(struct ktrace_registry) &&
		     inside(c->registry_off, 1, 0, c->registry_size, map_size);
	return ok ? 0 : -EBADMSG;
}
