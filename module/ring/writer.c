// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * writer.c - the producer half: opening blocks, and the writer that nests
 *
 * kt_ring_open_block() decides, for all kinds of writers, whether the next block may
 * be entered and builds the bytes that open it.
 *
 * kt_ring_reserve() and kt_ring_commit() are the writer for contexts that interrupt
 * each other like a stack: process, softirq, irq and NMI on one CPU; a thread and its
 * signal handlers. Their common case is in fast.h. Invariants, with "inner" for the
 * writer that interrupts:
 *
 *  - reserve is moved by compare-exchange, and the stamp is read between reading
 *    reserve and moving it: if an inner writer came in between, the exchange fails.
 *    So stamps ascend with positions.
 *  - The writer that moves reserve away from head is the outermost one, and publishes. A
 *    writer that finds them apart is an inner one and leaves its record to the outermost.
 *    An inner writer has finished when the outer one goes on; so then all up to reserve
 *    is complete.
 *  - Inner writers may interrupt the outermost while it publishes: before it has stored
 *    head they leave their records to it, hence its second look at reserve. After that, one
 *    of them may be outermost itself, and has then published everything.
 *
 * Documentation/ring.md has the drawings, memory-ordering.md the pairs.
 */
#include "fast.h"

#define UNIT_BITS KT_UNIT_BITS
#define UNIT_MASK ((1ull << UNIT_BITS) - 1)
#define COUNT_MASK ((1ull << (64 - UNIT_BITS)) - 1)

/*
 * Bounds every loop of a writer. Inner writers interrupt now and then; a thousand in a row means
 * that other code stores to reserve, which is not allowed.
 */
#define ATTEMPTS_MAX 1000

static __u64 pack_reserve(__u64 pos, __u64 records)
{
	return ((pos / KTRACE_ALIGN) & UNIT_MASK) | (records << UNIT_BITS);
}

/* Returns the full position: reserve is never further from head than the ring is large. */
static __u64 reserve_pos(__u64 reserve, __u64 head)
{
	const __u64 units = head / KTRACE_ALIGN;	/* a forged head may be odd */

	return (units + ((reserve - units) & UNIT_MASK)) * KTRACE_ALIGN;
}

/* Returns the full count: a block holds fewer records than COUNT_MASK. */
static __u64 reserve_records(__u64 reserve, __u64 published)
{
	return published + (((reserve >> UNIT_BITS) - published) & COUNT_MASK);
}

static __u64 writer_lost(const struct ktrace_ring *w, struct ktrace_lost *lost)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < KTRACE_LOST_NR; i++) {
		lost->count[i] = i <= KTRACE_LOST_NORING ? kt_load(&w->lost.count[i]) : 0;
		sum += lost->count[i];
	}
	return sum;
}

/*
 * Decides whether the block at @next may be entered. @published is head: equal to @pos, or below it
 * if outer writers have not finished.
 */
static enum kt_open_result ring_may_open(const struct kt_ring *r, __u64 pos, __u64 next,
					 __u64 published)
{
	__u64 tail;

	if (r->policy == KTRACE_POLICY_OVERWRITE)
		/* The reader trusts all blocks but the one after head's. */
		return next <= kt_block_end(r, published) ? KT_OPEN_OK : KT_OPEN_NESTED;

	/* ORD(open:A) pairs ORD(advance:A): the reader is done with it before reuse */
	tail = kt_load_acquire(&r->tail->tail);
	if ((__s64)(published - tail) < 0)
		tail = published;	/* a forged tail must not free what is unpublished */
	if (r->policy == KTRACE_POLICY_STOP && kt_load(&r->w->suspend) == pos && tail != pos)
		return KT_OPEN_STOPPED;
	if (next + r->block_size - tail <= r->size)
		return KT_OPEN_OK;
	if (r->policy == KTRACE_POLICY_BLOCK)
		return KT_OPEN_WAIT;
	return r->policy == KTRACE_POLICY_STOP ? KT_OPEN_SUSPEND : KT_OPEN_FULL;
}

/**
 * kt_ring_open_block - decide whether the next block may be entered, and build its opening
 * @r:		the ring
 * @pos:	position of the present writer
 * @published:	head; equal to @pos unless the writer nests
 * @records:	records written up to @pos, or KT_RECORDS_UNKNOWN
 * @o:		out, for KT_OPEN_OK: what to store at kt_block_end(r, pos), except for the stamps,
 *		which the caller fills in when it reads the clock
 *
 * Nothing is stored and nothing is counted.
 *
 * Context: any.
 * Return: enum kt_open_result.
 */
enum kt_open_result kt_ring_open_block(const struct kt_ring *r, __u64 pos, __u64 published,
				       __u64 records, struct kt_opening *o)
{
	const __u64 next = kt_block_end(r, pos);
	const struct ktrace_block *before = kt_ring_at(r, next - r->block_size);
	enum kt_open_result verdict = ring_may_open(r, pos, next, published);
	__u64 lost;

	if (verdict != KT_OPEN_OK)
		return verdict;
	*o = (struct kt_opening){ 0 };
	lost = writer_lost(r->w, &o->lost);
	o->block.pos = next;
	o->block.lost = lost;
	if (records != KT_RECORDS_UNKNOWN) {
		o->block.records = records;
		o->block.flags = KTRACE_BLOCK_COUNTED;
	}
	o->block.magic = KTRACE_BLOCK_MAGIC;
	o->block.ring = r->index;
	o->block.owner = r->owner;
	o->block.generation = kt_load(&r->w->generation);
	o->size = sizeof(o->block);
	if (lost != (next ? kt_load(&before->lost) : 0)) {
		o->rec.id = KTRACE_ID_LOST;
		o->rec.len = sizeof(o->lost);
		o->size = KT_OPENING_MAX;
	}
	return KT_OPEN_OK;
}

/** kt_open_reason - return the reason to count for a verdict other than KT_OPEN_OK */
enum ktrace_lost_reason kt_open_reason(enum kt_open_result why)
{
	switch (why) {
	case KT_OPEN_SUSPEND:
	case KT_OPEN_STOPPED:
		return KTRACE_LOST_STOPPED;
	case KT_OPEN_WAIT:
		return KTRACE_LOST_TIMEOUT;
	case KT_OPEN_NESTED:
		return KTRACE_LOST_NESTED;
	default:
		return KTRACE_LOST_FULL;
	}
}

/*
 * Counts the events of a block. The place of a record is known only when the length of the one
 * before has been loaded: a chain of loads for all of a block. Most records are as long as the one
 * before. If a new length is a branch of its own, the processor predicts the place and goes on
 * there.
 */
static __u32 count_events(const char *block, __u32 end)
{
	__u32 off = sizeof(struct ktrace_block), len = ~0u, total = 0, n = 0;

	while (end - off >= sizeof(struct ktrace_record)) {
		const struct ktrace_record *rec = (const void *)(block + off);
		const __u16 id = kt_load(&rec->id), rec_len = kt_load(&rec->len);

		if (id == KTRACE_ID_PAD)
			break;
		if (rec_len != len) {
			len = rec_len;
			total = KTRACE_RECORD_SIZE(len);
			kt_branch(total);
		}
		if (kt_unlikely(total > end - off))
			break;
		off += total;
		n += id != KTRACE_ID_LOST;
	}
	return n;
}

/**
 * kt_ring_count_records - count the records written before @head, by walking its block
 * @r:		the ring
 * @head:	published position, the caller being the only writer
 *
 * For writers that do not count as they go; costs one pass over the block that was
 * written last. Bounded and safe whatever the ring holds.
 *
 * Context: any.
 */
__u64 kt_ring_count_records(const struct kt_ring *r, __u64 head)
{
	const __u64 start = kt_block_end(r, head) - r->block_size;
	const struct ktrace_block *block = kt_ring_at(r, start);

	if (!head || head - start < sizeof(*block))
		return 0;	/* nothing yet, or a forged head inside of a block's header */
	return kt_load(&block->records) + count_events((const char *)block, (__u32)(head - start));
}

static void store_padding(const struct kt_ring *r, __u64 pos, __u64 ts)
{
	struct ktrace_record pad;

	if (kt_block_room(r, pos) < sizeof(pad))
		return;
	pad = (struct ktrace_record){ .ts = ts, .id = KTRACE_ID_PAD };
	kt_memcpy(kt_ring_at(r, pos), &pad, sizeof(pad));
}

static void store_opening(const struct kt_ring *r, __u64 pos, __u64 ts, struct kt_opening *o)
{
	store_padding(r, pos, ts);
	o->block.ts = ts;
	o->rec.ts = ts;
	kt_memcpy(kt_ring_at(r, kt_block_end(r, pos)), o, o->size);
	KT_TESTPOINT(opened);
}

/* Reads reserve and head as they belong together; false: an inner writer has just moved them. */
static bool ring_look(const struct ktrace_ring *w, __u64 *reserve, __u64 *head)
{
	*reserve = kt_load(&w->reserve);
	kt_barrier();	/* an inner writer in between is seen by the third load */
	*head = kt_load(&w->head) & -(__u64)KTRACE_ALIGN;	/* a forged one may be odd */
	kt_barrier();
	return kt_load(&w->reserve) == *reserve;
}

/** kt_ring_is_busy - true if a record is being written, or was given up. Context: a writer's */
bool kt_ring_is_busy(const struct kt_ring *r)
{
	__u64 reserve = 0, head = 0;
	int attempts = 0;

	while (attempts++ < ATTEMPTS_MAX)
		if (ring_look(r->w, &reserve, &head))
			break;
	return kt_is_unpublished(reserve, head);
}

/**
 * kt_ring_publish_rest - publish what the outermost writer found after its record
 * @r:		the ring
 * @end:	the head that it has stored
 *
 * Context: the writer's.
 */
void kt_ring_publish_rest(const struct kt_ring *r, __u64 end)
{
	struct ktrace_ring *w = r->w;
	__u64 reserve;
	int attempts;

	for (attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
		kt_barrier();	/* head is not older than the reserve that differed */
		if (kt_load(&w->head) != end)
			return;	/* a later writer has published everything */
		reserve = kt_load(&w->reserve);
		end = reserve_pos(reserve, end);
		kt_store(&w->records, reserve_records(reserve, kt_load(&w->records)));
		KT_TESTPOINT(publishing);
		/* ORD(publish_rest:A) pairs ORD(peek:A): records before head */
		kt_store_release(&w->head, end);
		kt_barrier();	/* an inner writer from here on publishes by itself */
		KT_TESTPOINT(published);
		if (kt_load(&w->reserve) == reserve)
			return;
	}
}

/*
 * Stop policy: suspends the ring. No record may follow, not even a small one, until all has been
 * read. suspend comes first: an inner writer that finds the rest of the block gone must find out
 * why, whatever the reader has given back meanwhile. If the exchange fails, suspend still tells the
 * truth: a writer that reaches its position has found no room in front of it.
 */
static bool ring_suspend(const struct kt_ring *r, __u64 reserve, __u64 head)
{
	const __u64 pos = reserve_pos(reserve, head), end = kt_block_end(r, pos);

	kt_store(&r->w->suspend, end);
	KT_TESTPOINT(suspending);
	kt_barrier();	/* an inner writer that finds reserve moved finds suspend, too */
	if (!kt_cmpxchg_local(&r->w->reserve, reserve,
			      pack_reserve(end, reserve >> UNIT_BITS)))
		return false;
	KT_TESTPOINT(suspended);
	store_padding(r, pos, kt_clock(r->clock));
	if (!kt_is_unpublished(reserve, head))
		kt_ring_publish_rest(r, head);
	return true;
}

/* Decides where a record of @total bytes goes; @o->size is 0 if it stays in its block. */
static enum kt_open_result ring_place(const struct kt_ring *r, __u64 reserve, __u64 head,
				      __u32 total, struct kt_opening *o)
{
	const __u64 pos = reserve_pos(reserve, head);
	enum kt_open_result verdict;

	o->size = 0;
	if (kt_likely(total <= kt_block_room(r, pos)))
		return KT_OPEN_OK;
	if (total > r->block_size - KT_OPENING_MAX)
		return KT_OPEN_FULL;
	verdict = kt_ring_open_block(r, pos, head,
				     reserve_records(reserve, kt_load(&r->w->records)), o);
	if (verdict == KT_OPEN_SUSPEND && !ring_suspend(r, reserve, head))
		return KT_OPEN_SUSPEND;
	return verdict == KT_OPEN_SUSPEND ? KT_OPEN_STOPPED : verdict;
}

static enum kt_ring_result ring_refuse(const struct kt_ring *r, enum kt_open_result verdict)
{
	if (verdict != KT_OPEN_WAIT)
		kt_count(&r->w->lost.count[kt_open_reason(verdict)], 1);
	return verdict == KT_OPEN_WAIT ? KT_RING_WAIT : KT_RING_LOST;
}

/*
 * Called before the memory of the next block is stored to: by this writer, or by an inner one as
 * soon as reserve has moved into it.
 */
static void give_up_block(void)
{
	/*
	 * ORD(give_up_block:A) pairs ORD(still_valid:A): the head that gave this block up to
	 * overwriting is seen before its new bytes
	 */
	kt_fence_store();
	KT_TESTPOINT(given_up);
}

/*
 * Does kt_ring_reserve() in all cases. Not inlined, and called last, because struct kt_opening
 * takes much of the stack.
 */
static kt_noinline enum kt_ring_result reserve_slow(const struct kt_ring *r, __u16 id, __u32 len,
						    __u32 tid_flags, struct kt_slot *slot)
{
	const __u32 total = KTRACE_RECORD_SIZE(len);
	enum kt_open_result verdict;
	__u64 reserve, head, pos, start;
	struct kt_opening o;
	int attempts = 0;

	for (;;) {
		if (attempts++ == ATTEMPTS_MAX)
			return ring_refuse(r, KT_OPEN_NESTED);
		if (!ring_look(r->w, &reserve, &head))
			continue;
		verdict = ring_place(r, reserve, head, total, &o);
		if (verdict == KT_OPEN_SUSPEND)
			continue;	/* an inner writer came first */
		if (verdict != KT_OPEN_OK)
			return ring_refuse(r, verdict);
		if (o.size)
			give_up_block();
		pos = reserve_pos(reserve, head);
		start = o.size ? kt_block_end(r, pos) + o.size : pos;
		slot->ts = kt_clock(r->clock);
		KT_TESTPOINT(stamped);
		slot->reserve = pack_reserve(start + total, (reserve >> UNIT_BITS) + 1);
		if (kt_cmpxchg_local(&r->w->reserve, reserve, slot->reserve))
			break;
	}
	KT_TESTPOINT(reserved);
	slot->is_inner = kt_is_unpublished(reserve, head);
	kt_slot_place(slot, kt_ring_at(r, start), start + total);
	if (o.size)
		store_opening(r, pos, slot->ts, &o);
	kt_slot_fill(slot, id, len, tid_flags);
	return KT_RING_OK;
}

/**
 * kt_ring_reserve - claim room for one record and fill in its header
 * @r:		the ring
 * @id:		event type
 * @len:	payload bytes, at most kt_ring_payload_max()
 * @tid_flags:	as in struct ktrace_record
 * @slot:	out, when KT_RING_OK: where the payload goes
 *
 * After KT_RING_OK the caller stores the payload and calls kt_ring_commit(); neither may be left
 * out, and the caller must stay on this CPU (thread) until then.
 *
 * Context: the ring's CPU with preemption off, any interrupt level; or the ring's
 * thread, signal handlers included.
 * Return: KT_RING_OK; KT_RING_LOST, counted; KT_RING_WAIT with the block policy when
 * there is no room: not counted, the caller tries again or counts KTRACE_LOST_TIMEOUT.
 */
enum kt_ring_result kt_ring_reserve(const struct kt_ring *r, __u16 id, __u32 len,
				    __u32 tid_flags, struct kt_slot *slot)
{
	slot->is_inner = false;
	if (kt_unlikely(!kt_ring_try_claim(r, KTRACE_RECORD_SIZE(len), slot)))
		return reserve_slow(r, id, len, tid_flags, slot);
	kt_slot_fill(slot, id, len, tid_flags);
	return KT_RING_OK;
}

/**
 * kt_ring_commit - complete the record of the last kt_ring_reserve()
 * @r:		the ring
 * @slot:	what kt_ring_reserve() handed out
 *
 * The record becomes visible when the outermost writer commits.
 *
 * Context: that of kt_ring_reserve().
 */
void kt_ring_commit(const struct kt_ring *r, const struct kt_slot *slot)
{
	/*
	 * No barrier: an outer writer goes on when all is stored, and its store of head is a
	 * release.
	 */
	if (!slot->is_inner && kt_unlikely(!kt_ring_publish(r, slot)))
		kt_ring_publish_rest(r, slot->end);
}

/* Returns the records below head, if w->records may be ahead of it because it is stored first. */
static __u64 published_records(const struct kt_ring *r, __u64 head)
{
	const struct ktrace_block *block = kt_ring_at(r, kt_block_end(r, head) - r->block_size);

	if (kt_load(&block->magic) != KTRACE_BLOCK_MAGIC ||
	    kt_load(&block->pos) != kt_block_end(r, head) - r->block_size)
		return kt_load(&r->w->records);
	return kt_ring_count_records(r, head);
}

/**
 * kt_ring_adopt - prepare a ring's words for a new nesting writer
 * @r:		the ring; no other code may write to it now
 *
 * Gives up what a former owner had reserved but not published, and counts it as KTRACE_LOST_NESTED:
 * the record it was storing, and those of inner writers, which are complete unless interrupted
 * themselves. An owner that did not nest has left reserve lagging behind head, and has nothing to
 * give up.
 *
 * Context: the new owner, before its first kt_ring_reserve().
 */
void kt_ring_adopt(const struct kt_ring *r)
{
	const __u64 head = kt_load(&r->w->head), reserve = kt_load(&r->w->reserve);
	const __u64 reserved = reserve_pos(reserve, head) - head;
	__u64 published = kt_load(&r->w->records);

	if (reserved)
		published = published_records(r, head);
	if (reserved && reserved <= r->size)
		kt_count(&r->w->lost.count[KTRACE_LOST_NESTED],
			 ((reserve >> UNIT_BITS) - published) & COUNT_MASK);
	kt_store(&r->w->records, published);
	kt_store(&r->w->reserve, pack_reserve(head, published));
	kt_barrier();	/* an inner writer from here on finds the ring at rest */
}
