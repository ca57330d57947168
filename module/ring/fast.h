/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * fast.h - the nesting writer's common case, inline
 *
 * In the common case no other record of the ring is being written, the new one fits into the block
 * of head, and the ring is quick. Then the writer is at head and publishes by itself. In all other
 * cases kt_ring_try_claim() does nothing, and kt_ring_reserve() has to be called. writer.c
 * describes the protocol.
 */
#ifndef KT_RING_FAST_H
#define KT_RING_FAST_H

#include "ring.h"

/* reserve packs position and record count, so that both move in one exchange. */
#define KT_UNIT_BITS 44
#define KT_POS_BITS (KT_UNIT_BITS + 3)	/* in bytes: units are KTRACE_ALIGN */

/* Returns what one record of @total bytes adds to reserve, if the position does not wrap. */
static inline __u64 kt_reserve_step(__u32 total)
{
	return total / KTRACE_ALIGN + (1ull << KT_UNIT_BITS);
}

/*
 * True if there is anything between head and reserve: an outer writer is writing it. Also true if
 * head is no multiple of KTRACE_ALIGN, and thus forged.
 */
static inline bool kt_is_unpublished(__u64 reserve, __u64 head)
{
	return (reserve * KTRACE_ALIGN - head) << (64 - KT_POS_BITS);
}

static inline void kt_slot_place(struct kt_slot *slot, void *place, __u64 end)
{
	slot->rec = place;
	slot->payload = slot->rec + 1;
	slot->end = end;
}

/**
 * kt_ring_try_claim - claim room for one record if that is simple
 * @r:		the ring
 * @total:	bytes of the whole record
 * @slot:	out: the place, no header yet; initialised by the caller
 *
 * Short enough to be inlined with a constant @total. After success the caller stores header
 * and payload, then calls kt_ring_publish(). Context as kt_ring_reserve().
 *
 * Return: false if nothing has been done.
 */
static inline bool kt_ring_try_claim(const struct kt_ring *r, __u32 total, struct kt_slot *slot)
{
	struct ktrace_ring *w = r->w;
	const __u64 reserve = kt_load(&w->reserve);
	const __u64 head = kt_load(&w->head);
	__u64 pos;

	if (kt_unlikely(kt_is_unpublished(reserve, head)))
		return false;
	/* A block's last bytes are left to the slow path: after them the position may wrap. */
	if (kt_unlikely(((__u32)-head & r->quick) <= total))
		return false;
	slot->ts = kt_clock_quick(r->clock);
	KT_TESTPOINT(stamped);
	slot->reserve = reserve + kt_reserve_step(total);
	if (kt_unlikely(!kt_cmpxchg_local(&w->reserve, reserve, slot->reserve)))
		return false;
	KT_TESTPOINT(reserved);
	pos = kt_again(&w->head, head);
	kt_slot_place(slot, r->data + (pos & r->mask), pos + total);
	return true;
}

/* Fills in the header of the record in @slot. */
static inline void kt_slot_fill(const struct kt_slot *slot, __u16 id, __u32 len, __u32 tid_flags)
{
	kt_assign(slot->rec,
		  ((struct ktrace_record){ slot->ts, id, (__u16)len, tid_flags }));
	KT_TESTPOINT(stored);
}

/**
 * kt_ring_publish - publish a record of the outermost writer
 * @r:		the ring
 * @slot:	where it is
 *
 * Return: false if inner writers have left records: kt_ring_publish_rest() must follow.
 */
static inline bool kt_ring_publish(const struct kt_ring *r, const struct kt_slot *slot)
{
	struct ktrace_ring *w = r->w;

	/* records is loaded after reserve: an inner writer in between has published */
	kt_barrier();
	kt_inc_local(&w->records);
	KT_TESTPOINT(publishing);
	/* ORD(publish:A) pairs ORD(peek:A): records before head */
	kt_store_release(&w->head, slot->end);
	kt_barrier();	/* an inner writer from here on publishes by itself */
	KT_TESTPOINT(published);
	return kt_likely(kt_load(&w->reserve) == slot->reserve);
}

#endif
