// SPDX-License-Identifier: LGPL-2.1
/*
 * cpu_ring.c - writing to the ring of the CPU, with everything the fast path leaves out
 *
 * What is to be stored - padding, the next block's opening, the record - is prepared as
 * a list outside of any restartable sequence, for a CPU and a head. One sequence then
 * checks that both are still the same, stores the list and publishes. If not, or if it
 * was interrupted, everything is prepared again.
 *
 * The stamp is read after head: all previous writers of this ring have read the clock by
 * then. There is a fence between head and clock, because rdtsc is not ordered by itself.
 */
#include "cpu_ring.h"

#include "channel.h"

#if defined(__x86_64__) && defined(__LP64__)

/*
 * A sequence is interrupted now and then; a thousand times in a row means that somebody stores to
 * head who must not.
 */
#define ATTEMPTS_MAX 1000

/* struct rseq, as far as it is used. */
struct rseq_words {
	__u32 cpu_id_start;
	__u32 cpu_id;
	__u64 rseq_cs;
};

_Static_assert(offsetof(struct ktrace_thread, cpu) ==
	       offsetof(struct ktrace_thread, not_block) + 4 &&
	       offsetof(struct ktrace_thread, not_block) % 8 == 0, "remember_cpu() stores both");

struct store {
	void *to;
	const void *from;
	size_t size;
};

/**
 * struct plan - what one sequence stores
 * @expected:	to be found in the word that publishes
 * @head:	the position it stands for
 * @new_head:	to be stored there
 * @nr:		number of stores
 * @store:	padding, opening or the suspend word, header, pieces
 */
struct plan {
	__u64 expected;
	__u64 head;
	__u64 new_head;
	unsigned int nr;
	struct store store[3 + KTRACE_PIECES_MAX + 1];
};

static void add_store(struct plan *p, void *to, const void *from, size_t size)
{
	p->store[p->nr++] = (struct store){ to, from, size };
}

/*
 * Stores and publishes, or does nothing that can be seen. False: not on this CPU any
 * more, head has moved, or interrupted. Registers: rax scratch, rdx the present store,
 * rdi, rsi and rcx as rep movsb has them, r8 struct rseq.
 */
static bool carry_out(struct rseq_words *rseq, __u32 cpu, __u64 *head, const struct plan *p)
{
	__asm__ __volatile__ goto (
	KTRACE_RSEQ_DESCRIPTOR("4f")
	"jmp 1f\n\t"
	KTRACE_RSEQ_MARK
	"4:\n\t"
	"jmp %l[failed]\n"
	"1:\n\t"
	"leaq 9b(%%rip), %%rax\n\t"
	"movq %[rseq], %%r8\n\t"
	"movq %[store], %%rdx\n\t"
	"movq %%rax, " KTRACE_RSEQ_CS "(%%r8)\n"			/* begin */
	"2:\n\t"
	"cmpl %[cpu], " KTRACE_RSEQ_CPU_ID "(%%r8)\n\t"
	"jne %l[failed]\n\t"
	"cmpq %[expected], (%[head])\n\t"
	"jne %l[failed]\n"
	"6:\n\t"
	"cmpq %[end], %%rdx\n\t"
	"je 7f\n\t"
	"movq %c[to](%%rdx), %%rdi\n\t"
	"movq %c[from](%%rdx), %%rsi\n\t"
	"movq %c[size](%%rdx), %%rcx\n\t"
	"rep movsb\n\t"
	"addq %[next], %%rdx\n\t"
	"jmp 6b\n"
	"7:\n\t"
	/* ORD(rseq_list:A) pairs ORD(peek:A), ORD(clock_after_head:A): list before head */
	"movq %[new_head], (%[head])\n"
	"3:\n\t"
	"movq $0, " KTRACE_RSEQ_CS "(%%r8)\n\t"
	: /* asm goto has no outputs */
	: [rseq] "r" (rseq), [cpu] "r" (cpu), [head] "r" (head), [expected] "r" (p->expected),
	  [new_head] "r" (p->new_head), [store] "r" (p->store), [end] "r" (p->store + p->nr),
	  [to] "i" (offsetof(struct store, to)), [from] "i" (offsetof(struct store, from)),
	  [size] "i" (offsetof(struct store, size)), [next] "i" (sizeof(struct store))
	: "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8"
	: failed);
	return true;
failed:
	kt_store(&rseq->rseq_cs, 0);
	return false;
}

/* The word that holds a thread's not_block and cpu. */
static __u64 cpu_word(const struct ktrace_thread *t, __u32 cpu)
{
	return t->not_block | (__u64)cpu << 32;
}

static __u64 clock_after_head(void)
{
	/*
	 * ORD(clock_after_head:A) pairs ORD(rseq_record:A), ORD(rseq_list:A): their clock
	 * was read before the head that we have loaded was stored
	 */
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
}

/*
 * Teaches the fast path the CPU: ring, bytes and number change together, in a sequence
 * as well, because a signal handler may do the same. In between there is no CPU. If it
 * does not work out, the next event comes here again.
 */
static void remember_cpu(struct ktrace_thread *t, const struct kt_ring *r)
{
	static const __u32 no_cpu = KTRACE_CPU_NONE;
	struct plan p;

	p.expected = cpu_word(t, t->cpu);
	p.new_head = cpu_word(t, r->owner);
	p.nr = 0;
	add_store(&p, &t->cpu, &no_cpu, sizeof(no_cpu));
	add_store(&p, &t->ring, &r->w, sizeof(r->w));
	add_store(&p, &t->data, &r->data, sizeof(r->data));
	carry_out(t->rseq, r->owner, (__u64 *)&t->not_block, &p);
}

/* Bytes that a plan points to besides the record's pieces. */
struct scratch {
	struct ktrace_record pad;
	struct kt_opening opening;
	struct ktrace_record header;
};

/* The block is given up, the next one opened, or the ring suspended. */
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
	s->pad = (struct ktrace_record){ .ts = clock_after_head(), .id = KTRACE_ID_PAD };
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
	unsigned int i;

	s->header = (struct ktrace_record){ clock_after_head(), rec->id, rec->len,
					    rec->tid_flags };
	add_store(p, to, &s->header, sizeof(s->header));
	to += sizeof(s->header);
	for (i = 0; i < rec->nr; i++) {
		add_store(p, to, rec->piece[i].data, rec->piece[i].size);
		to += rec->piece[i].size;
	}
	p->new_head += KTRACE_RECORD_SIZE(rec->len);
}

/* One attempt; false: to be repeated. */
static bool try_put(struct rseq_words *rseq, const struct record *rec, const struct kt_ring *r,
		    enum kt_open_result *verdict)
{
	struct scratch s;
	struct plan p;	/* not cleared: it is large */

	p.nr = 0;
	p.expected = kt_load(&r->w->head);
	p.head = p.expected & ~(__u64)(KTRACE_ALIGN - 1);	/* of a forged one */
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
 * @rec:	the record; has to fit behind the opening of a block
 * @r:		out: the ring
 *
 * Return: RECORD_NO_RING without rseq, or on a CPU whose ring cannot be used.
 */
enum record_result cpu_ring_put(const struct channel *ch, struct ktrace_thread *t,
				const struct record *rec, struct kt_ring *r)
{
	struct rseq_words *rseq = t->rseq;
	enum kt_open_result verdict;
	int attempts = 0;
	__u32 cpu;

	do {
		cpu = kt_load(&rseq->cpu_id);
		if (cpu >= ch->cpu_nr || attempts++ == ATTEMPTS_MAX)
			return RECORD_NO_RING;
		channel_cpu_ring(ch, cpu, r);
		if (ch->first_lost && kt_block_room(r, kt_load(&r->w->head)) <
		    KTRACE_RECORD_SIZE(rec->len))
			channel_note_lost(ch, r, kt_load(&r->w->head));
	} while (!try_put(rseq, rec, r, &verdict));
	if (t->cpu != cpu)
		remember_cpu(t, r);
	if (verdict == KT_OPEN_OK)
		return RECORD_DONE;
	if (verdict == KT_OPEN_WAIT)
		return RECORD_NO_ROOM;
	kt_count(&r->w->lost.count[kt_open_reason(verdict)], 1);
	return RECORD_LOST;
}

#else

enum record_result cpu_ring_put(const struct channel *ch, struct ktrace_thread *t,
				const struct record *rec, struct kt_ring *r)
{
	(void)ch;
	(void)t;
	(void)rec;
	(void)r;
	return RECORD_NO_RING;
}

#endif
