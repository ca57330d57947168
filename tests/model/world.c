// SPDX-License-Identifier: GPL-2.0
/* world.c - writers that interrupt each other, die and are succeeded */
#include "world.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"

#define ID 99

struct world world;
bool world_never_restarts, world_is_weak;
enum port world_port;

static struct world kept;	/* as the setup left it */
static jmp_buf died;

/** world_header - what the header of an attempt's record must be */
void world_header(const struct attempt *a, struct ktrace_record *rec)
{
	*rec = (struct ktrace_record){ a->ts, ID,
				       (__u16)(a->total - sizeof(struct ktrace_record)), a->level };
}

/** world_payload - one word of an attempt's payload */
__u64 world_payload(unsigned int number, unsigned int word)
{
	return 0x5000000000000000ull | (__u64)(number + 1) << 32 | word;
}

/* Payload bytes: one, two or some records to a block. */
static __u32 length(char size)
{
	switch (size) {
	case 'L':
		return MODEL_BLOCK - (__u32)KT_OPENING_MAX - 16;
	case 'M':
		return 40;
	case 'S':
		return 8;
	default:
		return MODEL_BLOCK;
	}
}

/* The full position of a place: no writer is further from head than the ring is large. */
static __u64 position(const void *place)
{
	const __u64 head = machine_latest(&world.ring.w->head);
	const __u64 off = (__u64)((const char *)place - world.ring.data);

	return head + ((off - head) & (world.ring.size - 1));
}

static void fill_in(struct attempt *a, unsigned int number, const struct kt_slot *slot)
{
	__u64 words[MODEL_BLOCK / 8];
	unsigned int i, n = (a->total - 16) / 8;

	a->pos = position(slot->rec);
	a->tail = machine_latest(&world.ring.tail->tail);
	a->ts = machine_latest(&slot->rec->ts);
	a->state = ATTEMPT_PLACED;
	for (i = 0; i < n; i++)
		words[i] = world_payload(number, i);
	kt_memcpy(slot->payload, words, 8 * n);
}

/*
 * Was there room all the time? Not when the reader moved, for the writer may have seen
 * an older tail. With the overwrite policy an inner writer may have filled the block.
 */
static bool had_room(const struct attempt *a, unsigned int interrupts_left)
{
	const __u64 head = machine_latest(&world.ring.w->head);
	const __u64 tail = machine_latest(&world.ring.tail->tail);

	if (a->total > world.ring.block_size - KT_OPENING_MAX || a->level ||
	    world.reads_left != world.s->reads)
		return false;
	if (world.s->policy == KTRACE_POLICY_OVERWRITE)
		return interrupts_left == world.interrupts_left;
	return world.s->policy == KTRACE_POLICY_DROP &&
	       (a->total <= kt_block_room(&world.ring, head) ||
		kt_block_end(&world.ring, head) + world.ring.block_size - tail <= world.ring.size);
}

/* Stop policy: nothing follows the place where the ring was suspended before that is read. */
static void check_suspension(const struct attempt *a)
{
	if (world.is_suspended && (__s64)(a->pos - world.suspended_at) >= 0 &&
	    (__s64)(a->tail - world.suspended_at) < 0)
		world_fail("a suspended ring goes on before it is drained");
}

static __u64 stopped(void)
{
	return machine_latest(&world.ring.w->lost.count[KTRACE_LOST_STOPPED]);
}

/* Nor may an inner writer have gone on while the ring was being suspended. */
static void note_suspension(void)
{
	unsigned int i;

	world.is_suspended = true;
	world.suspended_at = machine_latest(&world.ring.w->suspend);
	for (i = 0; i < world.attempts; i++)
		if (world.ledger[i].state == ATTEMPT_DONE)
			check_suspension(&world.ledger[i]);
}

static void nesting_write(struct attempt *a, unsigned int number)
{
	const unsigned int interrupts_left = world.interrupts_left;
	const __u64 stopped_before = stopped();
	enum kt_ring_result what;
	struct kt_slot slot;

	for (;;) {
		what = kt_ring_reserve(&world.ring, ID, a->total - 16, a->level, &slot);
		if (what != KT_RING_WAIT)
			break;
		if (!world.reads_left || !choose(2)) {
			kt_count(&world.ring.w->lost.count[KTRACE_LOST_TIMEOUT], 1);
			what = KT_RING_LOST;
			break;
		}
		world.reads_left--;
		world_read(true);
	}
	if (what == KT_RING_LOST) {
		a->state = ATTEMPT_LOST;
		if (stopped() != stopped_before)
			note_suspension();
		if (had_room(a, interrupts_left))
			world_fail("a record is lost though there is room");
		return;
	}
	fill_in(a, number, &slot);
	check_suspension(a);
	kt_ring_commit(&world.ring, &slot);
	a->state = ATTEMPT_DONE;
	if (!machine.level && (machine_latest(&world.ring.w->reserve) & ((1ull << 44) - 1)) !=
	    (machine_latest(&world.ring.w->head) / 8 & ((1ull << 44) - 1)))
		world_fail("a record is left unpublished");
}

/** world_write - one attempt, at the present level */
void world_write(char size)
{
	const unsigned int number = world.attempts++;
	struct attempt *a = &world.ledger[number];

	if (world.attempts > ATTEMPTS_MAX)
		world_fail("the ledger is full");
	*a = (struct attempt){ .total = KTRACE_RECORD_SIZE(length(size)),
			       .level = (__u8)machine.level };
	if (world.s->is_rseq)
		rseq_write(a, number);
	else
		nesting_write(a, number);
}

/* A head that turns out not to have been stored yet has not been seen either. */
static void cut_here(unsigned int delay)
{
	machine_cut(delay);
	world.seen_head = machine_latest(&world.ring.w->head);
}

static void die(unsigned int delay)
{
	cut_here(delay);
	world.has_died = true;
	world.deaths_left--;
	if (machine.is_verbose)
		printf("# the writers die\n");
	longjmp(died, 1);
}

static void interrupt(unsigned int which)
{
	const unsigned int delays = machine_delays() + 1;
	const bool in_section = world.in_section;

	world.interrupts_left--;
	world.in_section = false;
	cut_here(which % delays);
	machine_interrupt();
	world_write(world.s->inner[which / delays]);
	machine_resume();
	if (in_section && !world_never_restarts)
		rseq_restart();
	world.in_section = in_section;
}

/* Nothing, a death or an interrupt; several of these may come one behind the other. */
void world_point(void)
{
	unsigned int delays, deaths, interrupts, what;

	if (world.is_masked)
		return;
	do {
		world_check_words();
		delays = machine_delays() + 1;
		deaths = world.deaths_left ? delays : 0;
		interrupts = 0;
		if (world.interrupts_left && machine.level < world.s->depth)
			interrupts = delays * (unsigned int)strlen(world.s->inner);
		what = choose(1 + deaths + interrupts);
		if (!what)
			return;
		if (--what < deaths)
			die(what);
		interrupt(what - deaths);
	} while (1);
}

/* A writer is about to look at tail: the reader may have come to any place before. */
void world_tail_load(void)
{
	while (world.reads_left && choose(2)) {
		world.reads_left--;
		world_read(true);
	}
}

static void set_up_ring(__u64 start)
{
	struct machine_memory *memory = machine.memory;

	machine_clear();
	world.ring = (struct kt_ring){
		.w = &memory->ring, .data = memory->data, .tail = &memory->tail,
		.size = MODEL_RING_SIZE, .block_size = MODEL_BLOCK, .policy = world.s->policy,
	};
	kt_ring_make_quick(&world.ring);
	machine_poke(&memory->ring.head, start);
	machine_poke(&memory->tail.tail, start);
	machine_poke(&memory->tail.lost[0].pos, start);
	machine_poke(&memory->tail.lost[1].pos, start);
	world.seen_head = start;
	kt_ring_adopt(&world.ring);
	kt_reader_init(&world.reader, &world.ring);
}

/** world_setup - a ring as it is when a scenario begins, all positions from @start on */
void world_setup(const struct scenario *s, __u64 start)
{
	const char *op;

	world = (struct world){ .s = s };
	machine.reorders_left = machine.deviations_left = 0;
	machine.may_race = s->policy == KTRACE_POLICY_OVERWRITE;
	machine.in_order = s->is_rseq && world_port == PORT_X86 && !world_is_weak;
	set_up_ring(start);
	for (op = s->before; *op; op++) {
		if (*op == 'R')
			world_read(true);
		else
			world_write(*op);
	}
	machine_keep();
	world.reads_left = s->reads;
	world.interrupts_left = s->interrupts;
	world.deaths_left = s->deaths;
	world.reader_deaths_left = s->reader_deaths;
	kept = world;
}

static void succeed(void)
{
	unsigned int i;
	const char *op;

	for (i = 0; i < world.attempts; i++) {
		struct attempt *a = &world.ledger[i];

		a->is_given_up = a->state != ATTEMPT_LOST &&
				 (a->state == ATTEMPT_BEGUN ||
				  (__s64)(machine_latest(&world.ring.w->head) -
					  (a->pos + a->total)) < 0);
	}
	if (!world.s->heir)
		return;
	world.in_section = false;
	machine_new_writer();
	if (!world.s->is_rseq) {
		world.is_masked = true;
		kt_ring_adopt(&world.ring);
		world.is_masked = false;
	}
	for (op = world.s->heir; *op; op++)
		world_write(*op);
}

/** world_run - one execution; false: there are no more */
bool world_run(void)
{
	const char *volatile op;

	choice_begin();
	world = kept;
	machine_begin();
	machine.reorders_left = world.s->reorders;
	machine.deviations_left = world.s->deviations;
	machine.actor = ACTOR_WRITER;
	if (!setjmp(died)) {
		for (op = world.s->program; *op; op++)
			world_write(*op);
	} else {
		succeed();
	}
	world_check_words();
	machine.actor = ACTOR_READER;
	while (world.reads_left) {
		world.reads_left--;
		world_read(true);
	}
	world_check_end();
	return choice_next();
}
