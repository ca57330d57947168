// SPDX-License-Identifier: LGPL-2.1
/*
 * channel.c - check and copy the geometry of a channel
 *
 * All numbers come from a page that another process wrote. The caller copies that page once.
 * channel_check() checks every offset of the copy against the size of the mapping, and only checked
 * offsets become pointers. A malicious owner can make this process write nonsense into the owner's
 * memory, but nothing else.
 */
#include "channel.h"

#include <errno.h>
#define KTRACE_LIBRARY
#define KTRACE_REGISTER_LATER
#include <ktrace/channel.h>
#include <linux/futex.h>

#define RING_NR_MAX (1u << 20)
#define DATA_OFF_MAX (1u << 20)
#define PAGE_MASK 4095u

/*
 * True if the bytes [off, off + nr * stride) are within [begin, end); all numbers are below 2^44.
 */
static bool lies_in(__u64 off, __u64 nr, __u64 stride, __u64 begin, __u64 end)
{
	return off >= begin && off <= end && (!nr || stride <= (end - off) / nr);
}

static bool rings_fit(const struct ktrace_control *c, __u64 off, __u32 nr, __u64 stride,
		      __u64 size)
{
	if (!nr)
		return true;
	return kt_ring_geometry_ok(size, c->block_size) && !(off & 63) && !(stride & 63) &&
	       stride >= size && stride - size >= c->data_off &&
	       lies_in(off, nr, stride, c->registry_off + c->registry_size, c->map_size);
}

static bool control_area_fits(const struct ktrace_control *c)
{
	const __u64 end = c->registry_off;

	return lies_in(c->enable_off, 1, c->id_nr, sizeof(*c), end) &&
	       lies_in(c->filter_off, 1, c->filter_size, sizeof(*c), end) &&
	       lies_in(c->tail_off, c->ring_nr, sizeof(struct ktrace_tail), sizeof(*c), end) &&
	       !(c->tail_off & 7) && c->id_nr > KTRACE_ID_OFF && c->id_nr <= 65536;
}

static bool has_more_ids(const struct ktrace_control *c)
{
	return c->id_nr <= KTRACE_ID_MORE && c->id_all > KTRACE_ID_MORE_OFF &&
	       c->id_all <= 65536 &&
	       lies_in(c->enable_off, 1, c->id_all, sizeof(*c), c->registry_off);
}

/* True if there are slots that this library can use. */
static bool has_slots(const struct ktrace_control *c)
{
	return c->slot_nr && c->slot_nr <= KTRACE_SLOT_NR_MAX &&
	       !(c->slot_nr & (c->slot_nr - 1)) && !(c->slots_off & 63) &&
	       c->slot_size >= sizeof(struct ktrace_slot) + 64 && !(c->slot_size & 63) &&
	       lies_in(c->slots_off, c->slot_nr, c->slot_size,
		       c->registry_off + sizeof(struct ktrace_registry), c->map_size);
}

static bool is_apart(__u64 a, __u64 a_size, __u64 b, __u64 b_size)
{
	return !a_size || !b_size || a + a_size <= b || b + b_size <= a;
}

/**
 * channel_check - whether a channel is one that this library can write to
 * @c:		a private copy of the control page
 * @map_size:	bytes that are mapped
 *
 * Return: 0, -EPROTONOSUPPORT for another version or kind, -EINVAL for numbers that
 * do not fit together.
 */
int channel_check(const struct ktrace_control *c, __u64 map_size)
{
	__u32 thread_nr = c->ring_nr - c->cpu_nr;

	if (c->magic != KTRACE_CONTROL_MAGIC || c->version != KTRACE_ABI_VERSION ||
	    c->size < sizeof(*c) || c->kind != KTRACE_CHANNEL_USER ||
	    c->policy >= KTRACE_POLICY_NR || c->clock > KTRACE_CLOCK_MONOTONIC)
		return -EPROTONOSUPPORT;
	if (c->map_size > map_size || c->map_size >> 44 || !c->ring_nr ||
	    c->ring_nr > RING_NR_MAX || c->cpu_nr > c->ring_nr ||
	    c->data_off < sizeof(struct ktrace_ring) || c->data_off > DATA_OFF_MAX ||
	    c->data_off & 7)
		return -EINVAL;
	if (c->registry_off & PAGE_MASK || c->registry_size & PAGE_MASK || !c->registry_size ||
	    !lies_in(c->registry_off, 1, c->registry_size, sizeof(*c), c->map_size))
		return -EINVAL;
	if (!control_area_fits(c) ||
	    !rings_fit(c, c->rings_off, c->cpu_nr, c->ring_stride, c->ring_size) ||
	    !rings_fit(c, c->threads_off, thread_nr, c->thread_stride, c->thread_size) ||
	    !is_apart(c->rings_off, c->cpu_nr * c->ring_stride,
		      c->threads_off, thread_nr * c->thread_stride))
		return -EINVAL;
	return 0;
}

static struct kt_ring pattern(const struct ktrace_control *c, __u32 index, __u64 size)
{
	struct kt_ring r = {
		.size = size,
		.block_size = c->block_size,
		.policy = c->policy,
		.clock = c->clock,
		.index = index,
	};

	kt_ring_make_quick(&r);
	return r;
}

static void place(struct kt_ring *r, char *map, const struct ktrace_control *c, __u64 off)
{
	r->w = (struct ktrace_ring *)(map + off);
	r->data = map + off + c->data_off;
	r->tail = (struct ktrace_tail *)(map + c->tail_off) + r->index;
}

/**
 * channel_init - take a channel into use
 * @ch:		out; map and the members from is_own on stay as they are, except ids and event_off
 * @map:	address of its mapping
 * @c:		copy of its control page, accepted by channel_check()
 * @is_shared_memory: true for a file, false for /dev/ktrace
 */
void channel_init(struct channel *ch, char *map, const struct ktrace_control *c,
		  bool is_shared_memory)
{
	ch->control = (const struct ktrace_control *)map;
	ch->is_shared_memory = is_shared_memory;
	ch->registry = (struct ktrace_registry *)(map + c->registry_off);
	ch->registry_size = c->registry_size;
	ch->session = c->session;
	ch->slot_nr = has_slots(c) ? c->slot_nr : 0;
	ch->slot_size = c->slot_size;
	ch->slots = ch->slot_nr ? map + c->slots_off : NULL;
	ch->enable = (const __u8 *)map + c->enable_off;
	ch->id_nr = c->id_nr;
	ch->id_all = has_more_ids(c) ? c->id_all : c->id_nr;
	ch->filter = map + c->filter_off;
	ch->filter_size = c->filter_size;
	ch->cpu_nr = c->cpu_nr;
	ch->thread_nr = c->ring_nr - c->cpu_nr;
	ch->data_off = c->data_off;
	ch->timeout_ms = c->timeout_ms;
	ch->cpu_stride = c->ring_stride;
	ch->thread_stride = c->thread_stride;
	ch->cpu = pattern(c, 0, c->ring_size);
	ch->thread = pattern(c, c->cpu_nr, c->thread_size);
	ch->first_lost = NULL;
	ch->ids = (struct channel_ids){ 0 };
	ch->event_off = 0;
	/* The offsets have been checked only if there are rings of that kind. */
	if (ch->cpu_nr)
		place(&ch->cpu, map, c, c->rings_off);
	if (ch->thread_nr)
		place(&ch->thread, map, c, c->threads_off);
}

static void move_to(struct kt_ring *r, __u64 distance, __u32 nr)
{
	r->w = (struct ktrace_ring *)((char *)r->w + distance);
	r->data += distance;
	r->tail += nr;
	r->index += nr;
}

/** channel_cpu_ring - the ring of @cpu, which is below ch->cpu_nr */
void channel_cpu_ring(const struct channel *ch, __u32 cpu, struct kt_ring *r)
{
	*r = ch->cpu;
	r->owner = cpu;
	move_to(r, cpu * ch->cpu_stride, cpu);
}

/** channel_thread_ring - thread ring @nr, below ch->thread_nr; its owner is not filled in */
void channel_thread_ring(const struct channel *ch, __u32 nr, struct kt_ring *r)
{
	*r = ch->thread;
	move_to(r, nr * ch->thread_stride, nr);
}

/** channel_has_reader - whether a reader can still make room */
bool channel_has_reader(const struct channel *ch)
{
	__u32 reader;

	if (kt_load(&ch->control->state) == KTRACE_STATE_CLOSED)
		return false;
	if (!ch->is_shared_memory)
		return true;
	reader = kt_load(&ch->control->reader);
	return reader && !(reader & FUTEX_OWNER_DIED);
}

/* channel_lose - count a lost event that has no ring, in the first ring */
void channel_lose(const struct channel *ch, enum ktrace_lost_reason why)
{
	const struct kt_ring *first = ch->cpu_nr ? &ch->cpu : &ch->thread;

	kt_count(&first->w->lost.count[why], 1);
}

/**
 * channel_note_lost - remember the first unread record that a new block costs
 * @ch:		the channel
 * @r:		one of its rings, overwrite policy
 * @head:	position of its only writer, which is about to open the next block
 *
 * The record given up is still intact: it is in the block after the one being opened.
 *
 * Context: the ring's writer.
 */
void channel_note_lost(const struct channel *ch, const struct kt_ring *r, __u64 head)
{
	const __u64 end = kt_block_end(r, head) + 2 * (__u64)r->block_size - r->size;
	const __u64 start = end - r->block_size + sizeof(struct ktrace_block);
	const __u64 tail = kt_load(&r->tail->tail);
	struct ktrace_channel_lost *lost = &ch->first_lost[r->index];
	struct ktrace_record rec;
	__u64 pos = tail & ~(__u64)(KTRACE_ALIGN - 1);	/* a forged head may be unaligned */

	if ((__s64)end <= 0 || (kt_load(&lost->tail) == tail && kt_load(&lost->ts)))
		return;
	if (kt_pos_is_before(pos, start))
		pos = start;
	if (!kt_pos_is_before(pos + sizeof(rec) - 1, end))
		return;
	kt_memcpy(&rec, kt_ring_at(r, pos), sizeof(rec));
	if (rec.id == KTRACE_ID_PAD)
		return;
	kt_store(&lost->ts, rec.ts);
	/* ORD(note_lost:A) pairs ORD(first_lost:A): the stamp belongs to the tail */
	kt_store_release(&lost->tail, tail);
}
