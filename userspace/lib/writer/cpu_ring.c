// SPDX-License-Identifier: LGPL-2.1
/*
 * cpu_ring.c - writing to the ring of the CPU, with everything the fast path leaves out
 *
 * The stores - padding, the next block's opening, the record - are prepared as a list outside of
 * any restartable sequence, for one CPU and one head. A single sequence then checks that both are
 * unchanged, carries out the stores and publishes. If either has changed, or the sequence was
 * interrupted, everything is prepared again.
 *
 * The stamp is read after head: all previous writers of this ring have read the clock by then.
 * clock_after_head() keeps the two reads in order, because processors may read the clock early.
 */
#include "cpu_ring.h"

#include "arch/arch.h"
#include "channel.h"
#include "thread.h"

/*
 * A sequence is interrupted now and then; a thousand times in a row means that another process
 * forges head.
 */
#define ATTEMPTS_MAX 1000

/* The part of struct rseq that is used here. */
struct rseq_words {
	__u32 cpu_id_start;
	__u32 cpu_id;
	__u64 rseq_cs;
};

/* @from is relative to the plan: both are on this stack, which has to be small. */
struct store {
	void *to;
	__s32 from;
	__u32 size;
};

/**
 * struct plan - what one sequence stores
 * @expected:	value that the publishing word must still have
 * @head:	the position that this value means
 * @new_head:	value to store there
 * @to, @piece, @skip, @left: bytes of the caller's pieces to copy after the stores, see struct
 *		record
 * @nr:		number of stores
 * @store:	padding, opening or the suspend word, header, total length
 */
struct plan {
	__u64 expected;
	__u64 head;
	__u64 new_head;
	void *to;
	const struct ktrace_piece *piece;
	size_t skip;
	size_t left;
	unsigned int nr;
	struct store store[4];
};

static void add_store(struct plan *p, void *to, const void *from, size_t size)
{
	const intptr_t distance = (intptr_t)from - (intptr_t)p;

	p->store[p->nr++] = (struct store){ to, (__s32)distance, (__u32)size };
}

#if ARCH_HAS_RSEQ
_Static_assert(offsetof(struct ktrace_thread, cpu) ==
	       offsetof(struct ktrace_thread, not_block) + 4 &&
	       offsetof(struct ktrace_thread, not_block) % 8 == 0, "remember_cpu() stores both");

/* Operands of carry_out(): the arguments, and where their members are */
#define CARRY_OUT_OPERANDS(rseq, cpu, head, p) \
	[rseq] "r" (rseq), [cpu] "r" (cpu), [head] "r" (head), [plan] "r" (p), \
	[store] "r" ((p)->store), [end] "r" ((p)->store + (p)->nr), \
	[expected] "i" (offsetof(struct plan, expected)), \
	[new_head] "i" (offsetof(struct plan, new_head)), \
	[to] "i" (offsetof(struct plan, to)), [piece] "i" (offsetof(struct plan, piece)), \
	[skip] "i" (offsetof(struct plan, skip)), [left] "i" (offsetof(struct plan, left)), \
	[store_to] "i" (offsetof(struct store, to)), \
	[from] "i" (offsetof(struct store, from)), \
	[size] "i" (offsetof(struct store, size)), [next] "i" (sizeof(struct store)), \
	[data] "i" (offsetof(struct ktrace_piece, data)), \
	[data_size] "i" (offsetof(struct ktrace_piece, size)), \
	[next_piece] "i" (sizeof(struct ktrace_piece))
#endif

#include ARCH_RSEQ_H

/* Returns the word that holds a thread's not_block and cpu. */
static __u64 cpu_word(const struct ktrace_thread *t, __u32 cpu)
{
	return t->not_block | (__u64)cpu << 32;
}

/*
 * Tells the fast path its CPU: ring, data and number change together, in a sequence as well,
 * because a signal handler may do the same. While they change, the thread has no CPU. If this
 * fails, the next event tries again.
 */
static kt_noinline void remember_cpu(struct ktrace_thread *t, const struct kt_ring *r)
{
	const __u32 no_cpu = KTRACE_CPU_NONE;
	struct plan p;

	p.expected = cpu_word(t, t->cpu);
	p.new_head = cpu_word(t, r->owner);
	p.left = 0;
	p.nr = 0;
	add_store(&p, &t->cpu, &no_cpu, sizeof(no_cpu));
	add_store(&p, &t->ring, &r->w, sizeof(r->w));
	add_store(&p, &t->data, &r->data, sizeof(r->data));
	carry_out(t->rseq, r->owner, (__u64 *)&t->not_block, &p);
}

/* Data that a plan points to besides the record's pieces. */
struct scratch {
	struct ktrace_record pad;
	struct kt_opening opening;
	struct ktrace_record header;
};

/* Plans to give up the rest of the block and open the next one, or to suspend the ring. */
static enum kt_open_result plan_block(const struct kt_ring *r, struct plan *p, struct scratch *s)
{
	const __u64 end = kt_block_end(r, p->head);
	__u64 records = KT_RECORDS_UNKNOWN;
	enum kt_open_result verdict;

	if (r->policy == KTRACE_POLICY_OVERWRITE)
		records = kt_ring_count_records(r, p->head);
	verdict = kt_ring_open_block(r, p->head, p->head, records, &s->opening);
	if (verdict != KT_OPEN_OK && verdict != KT_OPEN_SUSPEND)
		return verdict;
	p->new_head = end;
	s->pad = (struct ktrace_record){ .ts = clock_after_head(p->expected), .id = KTRACE_ID_PAD };
	if (kt_block_room(r, p->head) >= sizeof(s->pad))
		add_store(p, kt_ring_at(r, p->head), &s->pad, sizeof(s->pad));
	if (verdict == KT_OPEN_SUSPEND) {
		add_store(p, &r->w->suspend, &p->new_head, sizeof(r->w->suspend));
		return verdict;
	}
	s->opening.block.ts = s->pad.ts;
	s->opening.rec.ts = s->pad.ts;
	add_store(p, kt_ring_at(r, end), &s->opening, s->opening.size);
	p->new_head += s->opening.size;
	return verdict;
}

static void plan_record(const struct kt_ring *r, struct plan *p, struct scratch *s,
			const struct record *rec)
{
	char *to = kt_ring_at(r, p->new_head);

	s->header = (struct ktrace_record){ clock_after_head(p->expected), rec->id, rec->len,
					    rec->tid_flags };
	add_store(p, to, &s->header, sizeof(s->header));
	to += sizeof(s->header);
	if (rec->total) {
		add_store(p, to, rec->total, sizeof(*rec->total));
		to += sizeof(*rec->total);
	}
	p->to = to;
	p->piece = rec->piece;
	p->skip = rec->skip;
	p->left = record_size(rec);
	p->new_head += KTRACE_RECORD_SIZE(rec->len);
}

/*
 * True if the caller is a child in the memory of @t. Asks once for each position: the head of a
 * full ring does not move.
 */
static kt_noinline bool is_guest(const struct channel *ch, struct ktrace_thread *t,
				 const struct kt_ring *r, __u64 head)
{
	static __thread __u64 asked __attribute__((tls_model("initial-exec")));
	const __u64 place = head ^ (__u64)(r->owner + 1) << 48;

	if (thread_asks_kernel(t) || place == asked)
		return false;
	asked = place;
	return thread_is_guest(ch, t);
}

/*
 * Makes one attempt at @head; returns false if it must be repeated. Not inlined, so that its stack
 * is free again when the caller runs is_guest().
 */
static kt_noinline bool try_put(struct rseq_words *rseq, const struct record *rec,
				const struct kt_ring *r, __u64 head, enum kt_open_result *verdict)
{
	struct scratch s;
	struct plan p;

	p.left = 0;
	p.nr = 0;
	p.expected = head;
	p.head = p.expected & ~(__u64)(KTRACE_ALIGN - 1);	/* a forged head may be unaligned */
	p.new_head = p.head;
	*verdict = KT_OPEN_OK;
	if (kt_block_room(r, p.head) < KTRACE_RECORD_SIZE(rec->len))
		*verdict = plan_block(r, &p, &s);
	if (*verdict == KT_OPEN_OK)
		plan_record(r, &p, &s, rec);
	else if (*verdict != KT_OPEN_SUSPEND)
		return true;
	return carry_out(rseq, r->owner, &r->w->head, &p);
}

/**
 * cpu_ring_put - write one record to the ring of the CPU this thread runs on
 * @ch:		the channel
 * @t:		the thread's words for it
 * @rec:	the record; has to fit after the opening of a block
 * @r:		out: the ring
 *
 * Return: RECORD_LOST, not counted, if the recording is over. RECORD_NO_RING without rseq, or on a
 * CPU whose ring cannot be used. RECORD_GUEST if the caller turns out to be a child in the memory
 * of @t, where that is checked: its rseq is frozen, so the CPU number in it must not be trusted.
 */
enum record_result cpu_ring_put(const struct channel *ch, struct ktrace_thread *t,
				const struct record *rec, struct kt_ring *r)
{
	struct rseq_words *rseq = t->rseq;
	enum kt_open_result verdict;
	int attempts = 0;
	bool is_full;
	__u64 head;
	__u32 cpu;

	if (!ARCH_HAS_RSEQ)
		return RECORD_NO_RING;
	do {
		cpu = kt_load(&rseq->cpu_id);
		if (cpu >= ch->cpu_nr || attempts++ == ATTEMPTS_MAX)
			return RECORD_NO_RING;
		channel_cpu_ring(ch, cpu, r);
		/* ORD(over_head:A) pairs ORD(own_leave:A): zeros that have replaced the ring */
		head = kt_load_acquire(&r->w->head);
		if (head == KTRACE_HEAD_SEALED || kt_load(&ch->is_left))
			return RECORD_LOST;
		is_full = kt_block_room(r, head) < KTRACE_RECORD_SIZE(rec->len);
		if ((t->cpu != cpu || (is_full && thread_asks(r, kt_block_end(r, head)))) &&
		    is_guest(ch, t, r, head))
			return RECORD_GUEST;
		if (ch->first_lost && is_full)
			channel_note_lost(ch, r, head);
	} while (!try_put(rseq, rec, r, head, &verdict));
	if (t->cpu != cpu && !thread_asks_kernel(t))
		remember_cpu(t, r);
	if (verdict == KT_OPEN_OK)
		return RECORD_DONE;
	if (verdict == KT_OPEN_WAIT)
		return RECORD_NO_ROOM;
	kt_count(&r->w->lost.count[kt_open_reason(verdict)], 1);
	return RECORD_LOST;
}
