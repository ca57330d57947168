// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * reader.c - the consumer half: hands out whole, checked pieces of a live ring
 *
 * Every byte of a ring is treated as hostile: words are read once, headers are copied and checked,
 * a bad record costs the readable rest of its block, a forged head costs what it covers. Each such
 * place counts once as KTRACE_LOST_CORRUPT. Each call does a bounded amount of work.
 *
 * Overwrite policy: the writer does not wait for the reader. It may be storing at most to the block
 * after the one of head, so everything from kt_ring_oldest() on is stable as long as head stays in
 * its block. The reader copies, then calls kt_reader_still_valid(). Block headers carry the number
 * of records before them, so the number of overwritten records is known exactly.
 */
#include "ring.h"

/* How often to follow a writer that overtakes while its oldest block is looked up. */
#define CHASE_MAX 8

/* Returns the position that @head means. */
static __u64 position_of(const struct kt_reader *rd, __u64 head)
{
	if (head == KTRACE_HEAD_SEALED)
		head = kt_load(&rd->ring.w->sealed);
	return head & ~(__u64)(KTRACE_ALIGN - 1);
}

static __u64 load_head(const struct kt_reader *rd)
{
	/*
	 * ORD(peek:A) pairs ORD(publish:A), ORD(publish_rest:A), ORD(rseq_record:A),
	 * ORD(rseq_list:A), ORD(seal:A): records below head are complete
	 */
	return position_of(rd, kt_load_acquire(&rd->ring.w->head));
}

static __u64 own_losses(const struct kt_reader *rd)
{
	return rd->lost.count[KTRACE_LOST_UNWRITTEN] + rd->lost.count[KTRACE_LOST_CORRUPT];
}

/*
 * Saves the reader's losses beside the tail, for the next reader if this one dies. They take effect
 * with the tail that is stored next, whose release orders it after all this. No process looks at
 * them while this reader lives.
 */
static void save_losses(struct kt_reader *rd)
{
	struct ktrace_tail_lost *to = &rd->ring.tail->lost[rd->save_next];

	kt_store(&to->unwritten, rd->lost.count[KTRACE_LOST_UNWRITTEN]);
	kt_store(&to->corrupt, rd->lost.count[KTRACE_LOST_CORRUPT]);
	KT_TESTPOINT(saving);
	kt_store(&to->pos, rd->pos);
	KT_TESTPOINT(saved);
	rd->save_next ^= 1;
	rd->saved = own_losses(rd);
}

/* Loads what a former reader had lost when it died. */
static void load_losses(struct kt_reader *rd)
{
	const struct ktrace_tail_lost *lost = rd->ring.tail->lost;
	const __u64 pos[2] = { kt_load(&lost[0].pos), kt_load(&lost[1].pos) };
	const bool second = !kt_pos_is_before(rd->pos, pos[1]) &&
			    (kt_pos_is_before(rd->pos, pos[0]) ||
			     !kt_pos_is_before(pos[1], pos[0]));

	rd->lost.count[KTRACE_LOST_UNWRITTEN] = kt_load(&lost[second].unwritten);
	rd->lost.count[KTRACE_LOST_CORRUPT] = kt_load(&lost[second].corrupt);
	rd->saved = own_losses(rd);
	rd->save_next = !second;
}

static void publish_tail(struct kt_reader *rd)
{
	if (!rd->ring.tail)
		return;
	if (own_losses(rd) != rd->saved)
		save_losses(rd);
	/* ORD(advance:A) pairs ORD(open:A): reads are done before reuse */
	kt_store_release(&rd->ring.tail->tail, rd->pos);
}

static bool copy_block(const struct kt_ring *r, __u64 pos, struct ktrace_block *b)
{
	kt_memcpy(b, kt_ring_at(r, pos), sizeof(*b));
	kt_barrier();
	return b->magic == KTRACE_BLOCK_MAGIC && b->pos == pos;
}

/* True if the writer may have stored to the block at @pos by now. */
static bool overtaken(const struct kt_reader *rd, __u64 pos)
{
	__u64 head;

	/* ORD(still_valid:A) pairs ORD(give_up_block:A): bytes are read before head again */
	kt_fence_load();
	head = position_of(rd, kt_load(&rd->ring.w->head));
	return kt_pos_is_before(pos, kt_ring_oldest(&rd->ring, head));
}

/* Overwrite policy: skips overwritten records. Returns false if the writer is too fast just now. */
static bool skip_overwritten(struct kt_reader *rd, __u64 *head)
{
	const struct kt_ring *r = &rd->ring;
	struct ktrace_block b;
	__u64 oldest;
	bool sane;
	int i;

	for (i = 0; i < CHASE_MAX; i++) {
		oldest = kt_ring_oldest(r, *head);
		if (!kt_pos_is_before(rd->pos, oldest))
			return true;
		sane = copy_block(r, oldest, &b);
		if (!overtaken(rd, oldest))
			break;
		*head = load_head(rd);
	}
	if (i == CHASE_MAX)
		return false;
	rd->pos = oldest;
	if (sane && (b.flags & KTRACE_BLOCK_COUNTED) && b.records >= rd->records) {
		rd->lost.count[KTRACE_LOST_OVERWRITTEN] += b.records - rd->records;
		rd->records = b.records;
	} else {
		rd->lost.count[KTRACE_LOST_CORRUPT]++;
	}
	publish_tail(rd);
	return true;
}

/* Walks the records of @c; truncates it at the first bad one. */
static void scan(const struct kt_ring *r, struct kt_chunk *c)
{
	struct kt_cursor cur = { .base = c->data, .end = c->size };
	struct ktrace_record rec;
	struct ktrace_block b;
	const char *payload;
	int what = KT_CURSOR_CORRUPT;

	if (!(c->pos & (r->block_size - 1))) {
		if (c->size < sizeof(b) || !copy_block(r, c->pos, &b))
			goto corrupt;
		c->first_ts = b.ts;
		c->last_ts = b.ts;
		cur.off = sizeof(b);
	}
	while ((what = kt_cursor_next(&cur, &rec, &payload)) == KT_CURSOR_RECORD) {
		if (!c->records && kt_record_is_event(&rec))
			c->first_ts = rec.ts;
		if (rec.ts > c->last_ts)
			c->last_ts = rec.ts;
		c->records += kt_record_is_event(&rec);
	}
corrupt:
	if (what == KT_CURSOR_CORRUPT) {
		c->size = cur.off;
		c->corrupt = 1;
	}
}

/**
 * kt_reader_init - begin to read a ring at its tail
 * @rd:		the reader
 * @ring:	the ring; ring->tail NULL: nothing is published to the writer
 */
void kt_reader_init(struct kt_reader *rd, const struct kt_ring *ring)
{
	*rd = (struct kt_reader){ .ring = *ring };
	if (!ring->tail)
		return;
	rd->pos = kt_load(&ring->tail->tail);
	rd->seen = rd->pos;
	load_losses(rd);
}

/**
 * kt_reader_resume - continue after what a former reader is known to have taken
 * @rd:		the reader, which has not read anything yet
 * @pos:	position after it; ignored if it is impossible
 * @records:	records up to there, read or lost by the reader
 * @overwritten: how many of them were overwritten
 *
 * The former reader may have died before it moved the tail. With the overwrite policy the tail
 * tells nothing: records after @pos that are gone are found by the numbers in block headers.
 */
void kt_reader_resume(struct kt_reader *rd, __u64 pos, __u64 records, __u64 overwritten)
{
	const __u64 head = load_head(rd);

	if (rd->ring.policy == KTRACE_POLICY_OVERWRITE) {
		if (kt_pos_is_before(head, pos))
			return;
		rd->records = records;
		rd->lost.count[KTRACE_LOST_OVERWRITTEN] = overwritten;
	} else if (pos - rd->pos > head - rd->pos) {
		return;
	}
	rd->pos = pos;
	publish_tail(rd);
}

/**
 * kt_reader_unwritten - count records that were read, but could not be kept
 * @rd:		the reader
 * @records:	how many, of the piece that kt_reader_advance() is about to give back
 */
void kt_reader_unwritten(struct kt_reader *rd, __u64 records)
{
	rd->lost.count[KTRACE_LOST_UNWRITTEN] += records;
}

/* Notes a new head. One that goes back takes away unread records, which counts as corrupt. */
static void see_head(struct kt_reader *rd, __u64 head)
{
	if ((__s64)(head - rd->seen) < 0)
		rd->lost.count[KTRACE_LOST_CORRUPT]++;
	rd->seen = head;
}

/**
 * kt_reader_peek - get the next readable piece, not longer than the rest of a block
 * @rd:		the reader
 * @partial:	also hand out a block that is not finished
 * @c:		out
 *
 * The piece stays the reader's until kt_reader_advance(). With the overwrite policy copy it and
 * call kt_reader_still_valid() before use. A user ring's bytes can change after the check: check
 * them again on use.
 *
 * Return: true if there is one. With @c->corrupt, @c->size may be 0.
 */
bool kt_reader_peek(struct kt_reader *rd, bool partial, struct kt_chunk *c)
{
	const struct kt_ring *r = &rd->ring;
	__u64 head = load_head(rd);
	__u64 end;

	if (r->policy == KTRACE_POLICY_OVERWRITE && !skip_overwritten(rd, &head))
		return false;
	if (head - rd->pos > r->size) {
		rd->lost.count[KTRACE_LOST_CORRUPT]++;
		rd->pos = head;
		rd->seen = head;
		publish_tail(rd);
	}
	see_head(rd, head);
	end = (rd->pos | (r->block_size - 1)) + 1;
	if (head - rd->pos < end - rd->pos) {
		if (!partial)
			return false;
		end = head;
	}
	if (end == rd->pos)
		return false;
	*c = (struct kt_chunk){
		.pos = rd->pos,
		.data = kt_ring_at(r, rd->pos),
		.next_pos = end,
		.size = (__u32)(end - rd->pos),
	};
	scan(r, c);
	return true;
}

/**
 * kt_reader_still_valid - true if a piece that has been copied was intact until now
 * @rd:		the reader
 * @c:		what kt_reader_peek() gave
 *
 * Always true except with the overwrite policy. If false, do not advance; peek again.
 */
bool kt_reader_still_valid(const struct kt_reader *rd, const struct kt_chunk *c)
{
	return rd->ring.policy != KTRACE_POLICY_OVERWRITE || !overtaken(rd, c->pos);
}

/** kt_reader_advance - give the piece @c back to the writer and continue after it */
void kt_reader_advance(struct kt_reader *rd, const struct kt_chunk *c)
{
	rd->lost.count[KTRACE_LOST_CORRUPT] += c->corrupt;
	rd->records += c->records;
	rd->pos = c->next_pos;
	publish_tail(rd);
}

/** kt_reader_lost - get the records lost in this ring so far, by writers and by the reader */
void kt_reader_lost(const struct kt_reader *rd, struct ktrace_lost *sum)
{
	int i;

	*sum = rd->lost;
	for (i = 0; i <= KTRACE_LOST_NORING; i++)
		sum->count[i] = kt_load(&rd->ring.w->lost.count[i]);
}

/**
 * kt_reader_unread - return the published bytes that have not been consumed, at most the ring's
 * size
 * @rd:		the reader
 */
__u64 kt_reader_unread(struct kt_reader *rd)
{
	const __u64 head = position_of(rd, kt_load(&rd->ring.w->head));
	const __u64 n = head - rd->pos;

	see_head(rd, head);
	return n < rd->ring.size ? n : rd->ring.size;
}
