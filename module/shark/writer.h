/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * writer.h - the lock, and the fast path of an event into a chunk, to be inlined
 *
 *   kt_shark_enter(&here);
 *   if (!kt_shark_acquire(t, me)) {
 *           ...
 *           kt_shark_drop(t, me);
 *   }
 *   kt_shark_leave(&here);
 */
#ifndef KT_SHARK_WRITER_H
#define KT_SHARK_WRITER_H

#include "shark.h"

/* Not inlined */
int kt_shark_wait(struct kt_shark *t, struct kt_shark_pending *me);
void kt_shark_drain(struct kt_shark *t, struct kt_shark_pending *me);
void kt_shark_store_slow(struct kt_shark *t, __u16 code, __u16 par1, __u32 par2, __u32 how);
void kt_shark_next(struct kt_shark *t);
void kt_shark_log_contended(struct kt_shark *t, __u32 code, __u32 par1, __u32 par2, __u32 how,
			    struct kt_shark_here here);
void kt_shark_log_rest(struct kt_shark *t, __u32 code, __u32 par1, __u32 par2, __u32 how,
		       struct kt_shark_here here);
void kt_shark_log_drain(struct kt_shark *t, struct kt_shark_here here);

/*
 * Acquires the lock. Return: 0; -EDEADLK: the code that we interrupted holds it or waits for it;
 * -EBUSY: it stays held
 */
static inline int kt_shark_acquire(struct kt_shark *t, struct kt_shark_pending *me)
{
	struct kt_shark_pending *seen = NULL;

	/*
	 * ORD(kt_shark_acquire:A) pairs ORD(kt_shark_drop:A), ORD(kt_shark_drain:A),
	 * ORD(kt_shark_log_quick:B): all that the previous holder did is seen
	 */
	if (kt_likely(kt_shark_line_is_empty(&t->line) && kt_shark_try_lock(&t->owner, &seen, me)))
		return 0;
	return kt_shark_wait(t, me);
}

/*
 * Releases the lock. A writer that interrupted us has waited until now; later ones find the lock
 * free.
 */
static inline void kt_shark_drop(struct kt_shark *t, struct kt_shark_pending *me)
{
	/*
	 * ORD(kt_shark_drop:A) pairs ORD(kt_shark_acquire:A), ORD(kt_shark_wait:A),
	 * ORD(kt_shark_log_quick:A): the next holder sees all this
	 */
	kt_store_release(&t->owner, NULL);
	if (kt_unlikely(kt_load(&me->nr)))
		kt_shark_drain(t, me);
}

/*
 * Enters and acquires the lock for requests other than events, however long that takes. Return: 0;
 * -EDEADLK; -EBUSY in a panic, if the holder was stopped
 */
static inline int kt_shark_begin(struct kt_shark *t, struct kt_shark_here *here)
{
	int err;

	do {
		kt_shark_enter(here);
		err = kt_shark_acquire(t, kt_shark_pending());
		if (kt_likely(!err))
			return 0;
		kt_shark_leave(here);
	} while (err == -EBUSY && !kt_shark_is_panic());
	return err;
}

static inline void kt_shark_done(struct kt_shark *t, const struct kt_shark_here *here)
{
	kt_shark_drop(t, kt_shark_pending());
	kt_shark_leave(here);
}

/* True if the families that are @off suppress a code. */
static inline bool kt_shark_is_off(__u32 off, __u16 code)
{
	return kt_unlikely(off & 1u << (code & FTrace_family_mask)) && (code & 0xf0) != 0xf0;
}

/* Covers tsc_high and tsc_low; neither aligned nor of their type */
struct kt_shark_stamp {
	__u64 halves;
} __attribute__((packed, may_alias));

/* Fills in a slot. CPU clocks may differ a little: then two events have the same stamp. */
static inline void kt_shark_fill_at(struct kt_shark *t, struct ktrace_shark_event *slot,
				    __u64 now, __u16 code, __u16 par1, __u32 par2)
{
	if (now < t->last)
		now = t->last;
	t->last = now;
	slot->code = code;
	slot->par1 = par1;
	/* tsc_high and tsc_low at once */
	((struct kt_shark_stamp *)&slot->tsc_high)->halves = now << 32 | now >> 32;
	slot->par2 = par2;
	KT_TESTPOINT(filled);
}

static inline void kt_shark_fill(struct kt_shark *t, struct ktrace_shark_event *slot, __u16 code,
				 __u16 par1, __u32 par2)
{
	kt_shark_fill_at(t, slot, kt_clock(t->clock), code, par1, par2);
}

/* Stores an event, with the lock held; handles neither filter nor marker. */
static inline void kt_shark_store(struct kt_shark *t, __u16 code, __u16 par1, __u32 par2,
				  __u32 how)
{
	struct kt_shark_chunk *c = t->target;
	struct ktrace_shark_event *slot = c->pos;

	if (kt_unlikely(slot == c->limit)) {
		kt_shark_store_slow(t, code, par1, par2, how);
		return;
	}
	kt_shark_fill(t, slot, code, par1, par2);
	c->pos = slot + 1;
}

/* Logs an event, with the lock held; any code but 0. */
static inline void kt_shark_log_locked(struct kt_shark *t, __u16 code, __u16 par1, __u32 par2,
				       __u32 how)
{
	if (!(how & KT_SHARK_UNFILTERED) && kt_shark_is_off(t->off, code))
		return;
	if (kt_unlikely(code == FTrace_EVT_next_chunk))
		kt_shark_next(t);
	else
		kt_shark_store(t, code, par1, par2, how);
}

/*
 * Is kt_shark_log(), inlined. Hands over for good what is not simple, so that nothing has to be
 * kept here: to kt_shark_log_contended() without the lock, to kt_shark_log_rest() with it, and to
 * kt_shark_log_drain() after its release.
 */
static __always_inline void kt_shark_log_quick(struct kt_shark *t, __u32 code, __u32 par1,
					       __u32 par2, __u32 how)
{
	struct kt_shark_pending *me, *seen = NULL;
	struct ktrace_shark_event *slot;
	struct kt_shark_here here;
	struct kt_shark_chunk *c;

	kt_shark_enter(&here);
	me = kt_shark_pending();
	/*
	 * ORD(kt_shark_log_quick:A) pairs ORD(kt_shark_drop:A), ORD(kt_shark_drain:A),
	 * ORD(kt_shark_log_quick:B): all that the previous holder did is seen
	 */
	if (kt_unlikely(!kt_shark_try_lock(&t->owner, &seen, me)))
		return kt_shark_log_contended(t, code, par1, par2, how, here);
	c = t->target;
	slot = c->pos;
	if (kt_unlikely(slot == c->limit || t->special >> (code & 31) & 1 ||
			kt_shark_has_pending(me)))
		return kt_shark_log_rest(t, code, par1, par2, how, here);
	kt_shark_fill_at(t, slot, kt_clock_quick(KTRACE_CLOCK_COUNTER), (__u16)code,
			 (__u16)par1, par2);
	c->pos = slot + 1;
	/*
	 * ORD(kt_shark_log_quick:B) pairs ORD(kt_shark_acquire:A), ORD(kt_shark_wait:A),
	 * ORD(kt_shark_log_quick:A): the next holder sees all this
	 */
	kt_store_release(&t->owner, NULL);
	kt_barrier();
	if (kt_unlikely(kt_shark_has_pending(me)))
		return kt_shark_log_drain(t, here);
	kt_shark_leave(&here);
}

#endif
