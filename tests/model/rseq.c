// SPDX-License-Identifier: GPL-2.0
/*
 * rseq.c - writers of the kind that restarts, in C: as userspace/include/ktrace/rseq_*.h
 * for a record in its block, as userspace/lib/writer/cpu_ring.c for all others
 *
 * What the ports differ in is how they publish. On x86 stores are seen in order. For arm64 the
 * operations are those that tests/model/publishes finds in its assembler.
 *
 * A section is run again when its writer was interrupted in it. Between sections, and
 * while a list of stores is prepared, other writers of the CPU come and go.
 */
#include "world.h"

#include <setjmp.h>
#include <string.h>

#include "choice.h"
#include "publishes.h"

/* Where the innermost section begins. */
static jmp_buf *section;

_Noreturn void rseq_restart(void)
{
	longjmp(*section, 1);
}

struct plan {
	__u64 head;
	__u64 new_head;
	struct ktrace_record pad;
	struct kt_opening opening;
	bool suspends;
};

static void store_record(struct attempt *a, unsigned int number, __u64 pos)
{
	__u64 words[MODEL_BLOCK / 8];
	struct ktrace_record *rec = (struct ktrace_record *)words;
	unsigned int i;

	a->pos = pos;
	world_header(a, rec);
	for (i = 2; i < a->total / 8; i++)
		words[i] = world_payload(number, i - 2);
	kt_memcpy(kt_ring_at(&world.ring, pos), words, a->total);
}

static void publish(struct attempt *a, __u64 head, bool with_record, bool is_list)
{
	__u64 *word = &world.ring.w->head;

	if (world_port == PORT_X86)
		kt_store(word, head);
	else if (is_list)
		ARM64_PUBLISH_LIST(word, head);
	else
		ARM64_PUBLISH_RECORD(word, head);
	if (with_record)
		a->state = ATTEMPT_PLACED;
}

/* As KTRACE_RSEQ_RECORD: everything in one section. False: there is no room. */
static bool put_fast(struct attempt *a, unsigned int number)
{
	jmp_buf here, *const outer = section;
	__u64 head;
	bool done = false;

	section = &here;
	(void)setjmp(here);
	world.in_section = true;
	head = kt_load(&world.ring.w->head);
	if (kt_block_room(&world.ring, head) >= a->total) {
		a->ts = kt_clock(0);
		store_record(a, number, head);
		publish(a, head + a->total, true, false);
		done = true;
	}
	world.in_section = false;
	section = outer;
	return done;
}

static enum kt_open_result plan_block(struct attempt *a, struct plan *p)
{
	const struct kt_ring *r = &world.ring;
	__u64 records = KT_RECORDS_UNKNOWN;
	enum kt_open_result verdict;

	*p = (struct plan){ .head = kt_load(&r->w->head) };
	p->new_head = p->head;
	if (kt_block_room(r, p->head) >= a->total)
		return KT_OPEN_OK;
	if (r->policy == KTRACE_POLICY_OVERWRITE)
		records = kt_ring_count_records(r, p->head);
	verdict = kt_ring_open_block(r, p->head, p->head, records, &p->opening);
	if (verdict != KT_OPEN_OK && verdict != KT_OPEN_SUSPEND)
		return verdict;
	p->new_head = kt_block_end(r, p->head);
	p->pad = (struct ktrace_record){ .ts = kt_clock(0), .id = KTRACE_ID_PAD };
	p->suspends = verdict == KT_OPEN_SUSPEND;
	if (!p->suspends)
		p->new_head += p->opening.size;
	p->opening.block.ts = p->opening.rec.ts = p->pad.ts;
	return verdict;
}

/* As carry_out(): false when head has moved, or when the section was interrupted. */
static bool carry_out(struct attempt *a, unsigned int number, const struct plan *p)
{
	const struct kt_ring *r = &world.ring;
	jmp_buf here, *const outer = section;
	const __u64 end = kt_block_end(r, p->head);
	volatile bool done = false;

	section = &here;
	if (!setjmp(here)) {
		world.in_section = true;
		if (kt_load(&r->w->head) == p->head) {
			if (world_port == PORT_ARM64)
				ARM64_FENCE_LIST();
			if (p->new_head != p->head && kt_block_room(r, p->head) >= sizeof(p->pad))
				kt_memcpy(kt_ring_at(r, p->head), &p->pad, sizeof(p->pad));
			if (p->suspends)
				kt_store(&r->w->suspend, end);
			else if (p->new_head != p->head)
				kt_memcpy(kt_ring_at(r, end), &p->opening, p->opening.size);
			if (!p->suspends)
				store_record(a, number, p->new_head);
			publish(a, p->new_head + (p->suspends ? 0 : a->total), !p->suspends, true);
			done = true;
		}
	}
	world.in_section = false;
	section = outer;
	return done;
}

/** rseq_write - one attempt */
void rseq_write(struct attempt *a, unsigned int number)
{
	enum kt_open_result verdict;
	struct plan p;

	if (put_fast(a, number))
		return;
	for (;;) {
		verdict = plan_block(a, &p);
		a->ts = kt_clock(0);
		if (verdict == KT_OPEN_WAIT && world.reads_left && choose(2)) {
			world.reads_left--;
			world_read(true);
			continue;
		}
		if (verdict != KT_OPEN_OK && verdict != KT_OPEN_SUSPEND)
			break;
		if (carry_out(a, number, &p))
			break;
	}
	if (verdict == KT_OPEN_OK)
		return;
	kt_count(&world.ring.w->lost.count[kt_open_reason(verdict)], 1);
	a->state = ATTEMPT_LOST;
}
