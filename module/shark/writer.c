// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * writer.c - the slow paths of an event into a chunk: waiting, decisions, interruptions
 *
 * The fast path is in writer.h. The rules are in shark.h.
 */
#include "writer.h"
#include "chunk.h"

/*
 * Tries of a waiter that comes after another has given up, because the same holder may only be
 * slow; and of one that lets others pass
 */
#define STUCK_TRIES 1024

/* Waits for the lock. Return: 0; -EBUSY: its holder does not go on. */
static int wait_for_owner(struct kt_shark *t, struct kt_shark_pending *me)
{
	struct kt_shark_pending *seen;
	__u32 tries = 0;

	for (;;) {
		seen = kt_load(&t->owner);
		/*
		 * ORD(kt_shark_wait:A) pairs ORD(kt_shark_drop:A), ORD(kt_shark_drain:A),
		 * ORD(kt_shark_log_quick:B): all that the previous holder did is seen
		 */
		if (!seen && kt_shark_try_lock(&t->owner, &seen, me)) {
			if (kt_load(&t->stuck))
				kt_store(&t->stuck, NULL);
			return 0;
		}
		kt_shark_line_call(seen);
		if (!kt_shark_relax(tries++) ||
		    (tries > STUCK_TRIES && kt_load(&t->stuck) == seen)) {
			kt_store(&t->stuck, seen);
			return -EBUSY;
		}
	}
}

/**
 * kt_shark_wait - acquire the lock when it is held or others wait for it
 * @t:		the tracer
 * @me:		kt_shark_pending()
 *
 * Return: 0; -EDEADLK: the code that we interrupted holds it or waits for it; -EBUSY: the holder
 * has had it for too long.
 */
kt_noinline int kt_shark_wait(struct kt_shark *t, struct kt_shark_pending *me)
{
	bool is_in_line;
	int err;

	if (kt_load(&t->owner) == me || kt_load(&me->is_waiting))
		return -EDEADLK;
	is_in_line = kt_shark_line_join(&t->line, me);
	KT_TESTPOINT(waiting);
	err = wait_for_owner(t, me);
	if (is_in_line)
		kt_shark_line_leave(&t->line, me);
	return err;
}

/*
 * Leaves an event for the writer that we interrupted.
 *
 * We may be interrupted in turn, by a writer that leaves its event after ours. The writer that
 * stores these events was interrupted by all of us, and goes on when all have returned.
 */
static kt_noinline void shark_writer_postpone(struct kt_shark *t, struct kt_shark_pending *me,
					      const struct kt_shark_waiting *event)
{
	__u64 word, nr;

	do {
		word = kt_load(&me->nr);
		nr = word & ~KT_SHARK_WAITED;
		if (nr == KT_SHARK_PENDING_NR) {
			kt_count(&t->lost[KTRACE_SHARK_LOST_NESTED], 1);
			return;
		}
	} while (!kt_cmpxchg_local(&me->nr, word, word + 1));
	KT_TESTPOINT(postponing);
	me->event[nr] = *event;
}

/*
 * With the lock: stores the events that came while it was held, until none is left. They get
 * present stamps, so stamps do not decrease.
 */
static kt_noinline void store_waiting(struct kt_shark *t, struct kt_shark_pending *me)
{
	const struct kt_shark_waiting *e;
	__u64 word, done = 0;

	do {
		word = kt_load(&me->nr);
		kt_barrier();
		for (; done < (word & ~KT_SHARK_WAITED); done++) {
			e = &me->event[done];
			kt_shark_log_locked(t, e->code, e->par1, e->par2, e->how);
		}
	} while (!kt_cmpxchg_local(&me->nr, word, word & KT_SHARK_WAITED));
}

/* Counts the events that came while we waited in vain as lost. */
static void lose_waiting(struct kt_shark *t, struct kt_shark_pending *me)
{
	__u64 word;

	do {
		word = kt_load(&me->nr);
	} while (!kt_cmpxchg_local(&me->nr, word, word & KT_SHARK_WAITED));
	kt_count(&t->lost[KTRACE_SHARK_LOST_NESTED], word & ~KT_SHARK_WAITED);
}

/* Without the lock: waits until another has it, because the first one in the line has asked. */
static void let_pass(struct kt_shark *t, struct kt_shark_pending *me)
{
	__u32 tries = 0;
	__u64 word;

	do {
		word = kt_load(&me->nr);
	} while (!kt_cmpxchg_local(&me->nr, word, word & ~KT_SHARK_WAITED));
	while (!kt_shark_line_is_empty(&t->line) && !kt_load(&t->owner) && tries < STUCK_TRIES)
		kt_shark_relax(tries++);
}

/**
 * kt_shark_drain - store the events that came while we held the lock, which is free now; a waiter
 * in the line gets it first
 * @t:		the tracer
 * @me:		kt_shark_pending()
 */
kt_noinline void kt_shark_drain(struct kt_shark *t, struct kt_shark_pending *me)
{
	__u64 word;

	while ((word = kt_load(&me->nr))) {
		if (word & KT_SHARK_WAITED) {
			let_pass(t, me);
			continue;
		}
		switch (kt_shark_acquire(t, me)) {
		case -EBUSY:
			lose_waiting(t, me);
			return;
		case -EDEADLK:
			return;
		}
		KT_TESTPOINT(draining);
		store_waiting(t, me);
		/*
		 * ORD(kt_shark_drain:A) pairs ORD(kt_shark_acquire:A), ORD(kt_shark_wait:A),
		 * ORD(kt_shark_log_quick:A): the next holder sees all this
		 */
		kt_store_release(&t->owner, NULL);
	}
}

/* ---- decisions, with the lock ---- */

static struct ktrace_shark_event *end_of(const struct kt_shark_chunk *c)
{
	return c->slots + c->normal_nr;
}

static void shark_writer_lose(struct kt_shark_chunk *c, enum ktrace_shark_lost reason)
{
	c->lost[reason]++;
}

/*
 * True if there is a slot for the next event, or can be: then it is made. If not, the chunk becomes
 * FULL.
 */
static bool has_slot(struct kt_shark_chunk *c)
{
	if (c->flags & FTRACE_CHUNK_FLAG_FULL)
		return false;
	if (c->pos != end_of(c))
		return true;
	if (c->flags & KTRACE_SHARK_MODE_MASK) {
		c->flags |= FTRACE_CHUNK_FLAG_FULL;
		return false;
	}
	c->pos = c->slots;
	c->laps++;
	return true;
}

/* True if the writer may jump to the chunk. */
static bool shark_writer_is_usable(const struct kt_shark_chunk *c)
{
	if (c->flags & (FTRACE_CHUNK_FLAG_BUSY | FTRACE_CHUNK_FLAG_COMPR))
		return false;
	if (c->flags & FTRACE_CHUNK_FLAG_FREE)
		return true;
	if (c->flags & FTRACE_CHUNK_FLAG_FULL)
		return false;
	return c->pos != end_of(c) || !(c->flags & KTRACE_SHARK_MODE_MASK);
}

/* Jumps from the selected chunk, which is FULL, to the linked one; false if it may not. */
static bool shark_writer_jump(struct kt_shark *t)
{
	const __s32 next = t->target->next;

	if (next == KT_SHARK_NONE || !shark_writer_is_usable(&t->chunks[next]))
		return false;
	if (t->chunks[next].flags & FTRACE_CHUNK_FLAG_FREE)
		kt_shark_take(t, &t->chunks[next]);
	t->selected = next;
	kt_shark_aim(t);
	return true;
}

static void store_normal(struct kt_shark *t, __u16 code, __u16 par1, __u32 par2)
{
	struct kt_shark_chunk *c = t->target;

	kt_shark_fill(t, c->pos++, code, par1, par2);
	if (c->pos == end_of(c)) {
		switch (c->flags & KTRACE_SHARK_MODE_MASK) {
		case FTRACE_CHUNK_FLAG_CYC:
			c->pos = c->slots;
			c->laps++;
			break;
		case FTRACE_CHUNK_FLAG_STOP:
			c->flags |= FTRACE_CHUNK_FLAG_FULL;
			break;
		}
	}
	kt_shark_set_limit(c);
}

static void store_emergency(struct kt_shark *t, __u16 code, __u16 par1, __u32 par2)
{
	struct kt_shark_chunk *c = t->target;

	kt_shark_fill(t, end_of(c) + c->emergency_used++, code, par1, par2);
}

/**
 * kt_shark_store_slow - store an event when that needs a decision
 * @t:		the tracer, locked
 * @code:	its code
 * @par1:	its first parameter
 * @par2:	its second parameter
 * @how:	KT_SHARK_CRITICAL
 */
kt_noinline void kt_shark_store_slow(struct kt_shark *t, __u16 code, __u16 par1, __u32 par2,
				     __u32 how)
{
	struct kt_shark_chunk *c = t->target;

	if (c == &t->nowhere) {
		t->lost[KTRACE_SHARK_LOST_NOCHUNK] += t->is_enabled;
	} else if (c->flags & FTRACE_CHUNK_FLAG_BUSY) {
		shark_writer_lose(c, KTRACE_SHARK_LOST_BUSY);
	} else if (has_slot(c)) {
		store_normal(t, code, par1, par2);
	} else if ((c->flags & KTRACE_SHARK_MODE_MASK) == FTRACE_CHUNK_FLAG_JTN &&
		   shark_writer_jump(t)) {
		has_slot(t->target);
		store_normal(t, code, par1, par2);
	} else if (how & KT_SHARK_CRITICAL && c->emergency_used < c->emergency_nr) {
		store_emergency(t, code, par1, par2);
	} else {
		shark_writer_lose(c, KTRACE_SHARK_LOST_FULL);
	}
}

/** kt_shark_next - handle FTrace_EVT_next_chunk, with the lock */
kt_noinline void kt_shark_next(struct kt_shark *t)
{
	struct kt_shark_chunk *c = t->target;

	if (c == &t->nowhere)
		return;
	c->flags |= FTRACE_CHUNK_FLAG_FULL;
	kt_shark_set_limit(c);
	shark_writer_jump(t);
}

/* Continues kt_shark_log_quick(), with the lock, where it is not quick. */
kt_noinline void kt_shark_log_rest(struct kt_shark *t, __u32 code, __u32 par1, __u32 par2,
				   __u32 how, struct kt_shark_here here)
{
	struct kt_shark_pending *me = kt_shark_pending();

	/* Events that were left before the writer that we interrupted could look came first. */
	if (kt_load(&me->nr))
		store_waiting(t, me);
	kt_shark_log_locked(t, (__u16)code, (__u16)par1, par2, how);
	kt_shark_drop(t, me);
	kt_shark_leave(&here);
}

/* Continues kt_shark_log_quick() when the lock is taken. */
kt_noinline void kt_shark_log_contended(struct kt_shark *t, __u32 code, __u32 par1, __u32 par2,
					__u32 how, struct kt_shark_here here)
{
	struct kt_shark_pending *me = kt_shark_pending();
	struct kt_shark_waiting waiting;

	switch (kt_shark_acquire(t, me)) {
	case 0:
		kt_shark_log_rest(t, code, par1, par2, how, here);
		return;
	case -EDEADLK:
		waiting = (struct kt_shark_waiting){ (__u16)code, (__u16)par1, par2, how };
		shark_writer_postpone(t, me, &waiting);
		break;
	default:
		kt_count(&t->lost[KTRACE_SHARK_LOST_NESTED], 1);
		lose_waiting(t, me);
		break;
	}
	kt_shark_leave(&here);
}

/*
 * Ends kt_shark_log_quick() when interrupts have left events meanwhile, or another CPU waits in the
 * line.
 */
kt_noinline void kt_shark_log_drain(struct kt_shark *t, struct kt_shark_here here)
{
	kt_shark_drain(t, kt_shark_pending());
	kt_shark_leave(&here);
}

/**
 * kt_shark_log - log an event
 * @t:		the tracer
 * @code:	FTrace_EVT_*; 0 is refused
 * @par1:	first parameter
 * @par2:	second parameter
 * @how:	KT_SHARK_CRITICAL, KT_SHARK_UNFILTERED
 *
 * Context: any, NMIs and signal handlers included.
 */
void kt_shark_log(struct kt_shark *t, __u16 code, __u16 par1, __u32 par2, __u32 how)
{
	if (code & ~KTRACE_SHARK_FAST)
		kt_shark_log_quick(t, code, par1, par2, how);
}

/**
 * kt_shark_set_filter - suppress a family, or let it through
 * @t:		the tracer
 * @family:	0 to 15, or FTrace_filter_*
 * @status:	0 let through; suppress otherwise
 *
 * The change is stored as an event, between the last event before it and the first after it.
 *
 * Return: 0; -EINVAL no such family; -EDEADLK.
 */
int kt_shark_set_filter(struct kt_shark *t, __u8 family, int status)
{
	const __u32 bit = 1u << (family & FTrace_family_mask);
	struct kt_shark_here here;
	int err;

	if (family > FTrace_family_mask && family < FTrace_filter_trace_Events)
		return -EINVAL;
	err = kt_shark_begin(t, &here);
	if (err)
		return err;
	kt_store(&t->off, status ? t->off | bit : t->off & ~bit);
	kt_shark_set_special(t);
	kt_shark_store(t, family | FTrace_filter_trace_Events, !!status, 0, 0);
	kt_shark_done(t, &here);
	return 0;
}
