// SPDX-License-Identifier: GPL-2.0
/* ledger.c - the reader, and the properties: what it gets, and what adds up in the end */
#include "world.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "choice.h"

#define PEEK_ACCESSES_MAX 200

static jmp_buf reader_died;

static __u64 head(void)
{
	return machine_latest(&world.ring.w->head);
}

static bool is_published(const struct attempt *a)
{
	return a->state >= ATTEMPT_PLACED && a->state != ATTEMPT_LOST && !a->is_given_up &&
	       (__s64)(head() - (a->pos + a->total)) >= 0;
}

/** world_check_words - true at every instant: head only grows, tail <= head <= tail + size */
void world_check_words(void)
{
	const __u64 tail = machine_latest(&world.ring.tail->tail);

	if (head() == world.seen_head)
		return;
	if ((__s64)(head() - world.seen_head) < 0)
		world_fail("head went back");
	world.seen_head = head();
	if (world.s->policy != KTRACE_POLICY_OVERWRITE && head() - tail > world.ring.size)
		world_fail("head > tail + size");
}

static unsigned int attempt_at(__u64 pos)
{
	unsigned int i;

	for (i = 0; i < world.attempts; i++)
		if (world.ledger[i].pos == pos && is_published(&world.ledger[i]))
			return i;
	world_fail("a record is delivered that nobody has written");
}

static void check_record(const struct ktrace_record *rec, __u64 pos, const __u64 *payload,
			 bool is_kept)
{
	const unsigned int nr = attempt_at(pos);
	struct attempt *a = &world.ledger[nr];
	struct ktrace_record expected;
	unsigned int i;

	world_header(a, &expected);
	if (memcmp(rec, &expected, sizeof(*rec)))
		world_fail("a header is not as it was written");
	for (i = 0; i < rec->len / 8u; i++)
		if (payload[i] != world_payload(nr, i))
			world_fail("a payload is torn");
	if (a->is_delivered)
		world_fail("a record is delivered twice");
	if (rec->ts < world.seen_ts)
		world_fail("stamps decrease");
	if (nr < world.seen_attempt[a->level])
		world_fail("a thread's records are out of order");
	world.seen_attempt[a->level] = nr;
	world.seen_ts = rec->ts;
	a->is_delivered = true;
	a->is_unwritten = !is_kept;
}

static __u64 writers_lost(void)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i <= KTRACE_LOST_NORING; i++)
		sum += machine_latest(&world.ring.w->lost.count[i]);
	return sum;
}

static void check_block(const struct ktrace_block *b, __u64 pos)
{
	unsigned int i, records = 0;

	for (i = 0; i < world.attempts; i++)
		records += is_published(&world.ledger[i]) &&
			   (__s64)(pos - world.ledger[i].pos) > 0;
	if (b->pos != pos || b->magic != KTRACE_BLOCK_MAGIC)
		world_fail("a block's header is not its own");
	if (!world.s->is_rseq && !(b->flags & KTRACE_BLOCK_COUNTED))
		world_fail("a block does not say how many records came before");
	if (b->flags & KTRACE_BLOCK_COUNTED && b->records != records)
		world_fail("a block says a wrong number of records before it");
	if (b->lost > writers_lost())
		world_fail("a block says more was lost than was");
}

/* Walks the reader's private copy, by the words of the specification only. */
static void check_piece(const struct kt_chunk *c, const __u64 *words, bool is_kept)
{
	const struct ktrace_block *b = (const struct ktrace_block *)words;
	struct ktrace_record rec;
	__u32 off = 0;

	if (!(c->pos % MODEL_BLOCK)) {
		check_block(b, c->pos);
		off = sizeof(*b);
	}
	while (off + sizeof(rec) <= c->size) {
		memcpy(&rec, (const char *)words + off, sizeof(rec));
		if (rec.id == KTRACE_ID_PAD)
			return;
		if (off + KTRACE_RECORD_SIZE(rec.len) > c->size)
			world_fail("a record ends behind its piece");
		if (!(c->pos % MODEL_BLOCK) && rec.ts < b->ts)
			world_fail("a block's stamp is later than its record's");
		if (rec.id != KTRACE_ID_LOST)
			check_record(&rec, c->pos + off, words + off / 8 + 2, is_kept);
		off += KTRACE_RECORD_SIZE(rec.len);
	}
}

/* One round of the reader's loop, as the daemon does it. */
static void read_piece(bool partial)
{
	const unsigned long accesses = machine.accesses;
	__u64 words[MODEL_BLOCK / 8];
	struct kt_chunk c;
	bool found, is_kept;

	machine.check_copies = true;
	found = kt_reader_peek(&world.reader, partial, &c);
	machine.check_copies = false;
	if (machine.accesses - accesses > PEEK_ACCESSES_MAX)
		world_fail("the reader goes round and round");
	if (!found)
		return;
	if (c.size)
		model_memcpy(words, c.data, c.size);
	if (!kt_reader_still_valid(&world.reader, &c))
		return;
	if (c.corrupt)
		world_fail("whole bytes are taken for damaged ones");
	is_kept = !world.s->unwritten || c.pos / MODEL_BLOCK % 2;
	check_piece(&c, words, is_kept);
	if (!is_kept)
		kt_reader_unwritten(&world.reader, c.records);
	kt_reader_advance(&world.reader, &c);
}

/* What a dead reader had taken, but not given back, is read again. */
static void replace_reader(void)
{
	const __u64 tail = machine_latest(&world.ring.tail->tail);
	unsigned int i;

	machine_new_reader();
	world.seen_ts = 0;
	memset(world.seen_attempt, 0, sizeof(world.seen_attempt));
	for (i = 0; i < world.attempts; i++)
		if ((__s64)(world.ledger[i].pos - tail) >= 0)
			world.ledger[i].is_delivered = world.ledger[i].is_unwritten = false;
	kt_reader_init(&world.reader, &world.ring);
}

void world_reader_point(void)
{
	const unsigned int n = machine_delays() + 1;
	unsigned int what;

	if (!world.reader_deaths_left)
		return;
	what = choose(n + 1);
	if (!what)
		return;
	machine_cut(what - 1);
	world.reader_deaths_left--;
	if (machine.is_verbose)
		printf("# the reader dies\n");
	longjmp(reader_died, 1);
}

/** world_read - the reader may get one piece; if it dies, another one takes its place */
void world_read(bool partial)
{
	const enum machine_actor before = machine.actor;

	if (before != ACTOR_SETUP)
		machine.actor = ACTOR_READER;
	if (!setjmp(reader_died))
		read_piece(partial);
	else
		replace_reader();
	if (world.reader.lost.count[KTRACE_LOST_CORRUPT])
		world_fail("damage is counted where there is none");
	machine.actor = before;
}

/** world_check_end - writers are done or dead, the reader sees all: does it add up? */
void world_check_end(void)
{
	unsigned int i, delivered = 0, given_up = 0, unwritten = 0;
	__u64 accounted;

	machine_join();
	world.reader_deaths_left = 0;
	for (i = 0; i < 4 * MODEL_RING_SIZE / MODEL_BLOCK; i++)
		world_read(true);
	if (kt_reader_unread(&world.reader) || machine_latest(&world.ring.tail->tail) != head())
		world_fail("the reader stops before the end");
	for (i = 0; i < world.attempts; i++) {
		const struct attempt *a = &world.ledger[i];

		delivered += a->is_delivered;
		unwritten += a->is_unwritten;
		/* An heir counts all that was placed; of a record that was not, nobody knows. */
		given_up += a->state != ATTEMPT_LOST && !is_published(a) &&
			    (a->state == ATTEMPT_BEGUN || !world.s->heir);
		if (is_published(a) && !a->is_delivered &&
		    world.s->policy != KTRACE_POLICY_OVERWRITE)
			world_fail("a published record is not delivered");
	}
	if (world.reader.lost.count[KTRACE_LOST_UNWRITTEN] != unwritten)
		world_fail("the reader's own losses are not what they were");
	accounted = delivered + writers_lost() + world.reader.lost.count[KTRACE_LOST_OVERWRITTEN];
	if (accounted > world.attempts)
		world_fail("more is read and lost than was written");
	if (accounted + given_up < world.attempts || (given_up && !world.has_died))
		world_fail("less is read and lost than was written");
}
