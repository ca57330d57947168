/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * rseq.h - one record per restartable sequence (rseq(2)), on processors that have a port
 *
 * Between labels 2 and 3 the kernel restarts the sequence at label 1 whenever the thread was
 * preempted, migrated or took a signal. So a thread that reaches the last instruction was alone on
 * its CPU all the time and is the only writer of that CPU's ring. No store before the last one has
 * any effect: they go beyond head, where bytes are scratch. The clock is read inside the sequence,
 * so stamps ascend with positions.
 *
 * The section reads only head from shared memory. Whatever it holds, the masks in struct
 * ktrace_thread keep the stores inside the ring: head & size_mask is the place, and
 * (head - 1 | not_block) + total overflows 32 bits if the record would not end in the block of
 * head - 1: there is no room, or no block has been opened.
 *
 * A thread that is new, has no rseq or has moved to another CPU does not find its CPU in
 * ktrace_thread.cpu and calls the library.
 *
 * The code clears rseq.rseq_cs after the section, because a plug-in's code, and the descriptor with
 * it, may be unmapped later.
 *
 * The file of a processor, rseq_<name>.h, defines:
 *
 *   KTRACE_RSEQ_CPU_ID KTRACE_RSEQ_CS	offsets in struct rseq, kernel ABI
 *   KTRACE_RSEQ_DESCRIPTOR(abort)	the section's struct rseq_cs, label 9
 *   KTRACE_RSEQ_MARK			the signature, in front of where the kernel resumes
 *   KTRACE_RSEQ_CLOCK			reads the clock
 *   KTRACE_RSEQ_RECORD(...)		the sequence of one record
 *   KTRACE_RSEQ_PUT_1 to _8		its stores of so many words, with the operands
 *					KTRACE_RSEQ_WORDS_1 to _8
 *   KTRACE_RSEQ_PUT_PIECES		its stores of pieces
 *   KTRACE_RSEQ_SCRATCH KTRACE_RSEQ_PIECES_SCRATCH  one more register that they change
 *   ktrace_rseq_thread()		the operand by which KTRACE_RSEQ_RECORD finds ktrace_thread
 *   ktrace_rseq_words()		the same for other words
 */
#ifndef KTRACE_RSEQ_H
#define KTRACE_RSEQ_H

#ifndef KTRACE_WRITER_H
#error "a part of <ktrace/writer.h>"
#endif

#ifdef KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

#if defined(__x86_64__) && defined(__LP64__)
#include <ktrace/rseq_x86.h>
#define KTRACE_HAS_RSEQ 1
#elif defined(__aarch64__) && defined(__AARCH64EL__) && defined(__LP64__)
#include <ktrace/rseq_arm64.h>
#define KTRACE_HAS_RSEQ 1
#else
#define KTRACE_HAS_RSEQ 0
#endif

#if KTRACE_HAS_RSEQ

#define KTRACE_IN_REGISTERS(size) KTRACE_FITS_REGISTERS(size)

/* Leaves a section that has not stored anything visible. Always returns 0. */
static KTRACE_INLINE int ktrace_rseq_leave(const struct ktrace_thread *t)
{
	struct ktrace_no_rseq *rseq = (struct ktrace_no_rseq *)t->rseq;

	__atomic_store_n(&rseq->rseq_cs, 0, __ATOMIC_RELAXED);
	return 0;
}

static KTRACE_INLINE uint32_t ktrace_rseq_total(uint32_t size)
{
	return (size + 16 + 7) & ~7u;
}

/* A record of @nr words, in ktrace_rseq_put_words_with() */
#define KTRACE_RSEQ_PUT_WORDS(nr) \
	KTRACE_RSEQ_RECORD(KTRACE_RSEQ_CLOCK, thread, id_len, total, KTRACE_RSEQ_PUT_##nr, \
			   KTRACE_RSEQ_SCRATCH, KTRACE_RSEQ_WORDS_##nr)

/*
 * Records @size bytes, as @id_len says, in at most KTRACE_WORDS_MAX words, with the thread's words
 * @t, which @thread stands for. Returns 0 if it did not record.
 */
static KTRACE_INLINE int ktrace_rseq_put_words_with(const struct ktrace_thread *t, uint64_t thread,
						    uint32_t id_len, const uint64_t *w,
						    uint32_t size)
{
	const uint32_t total = ktrace_rseq_total(size);

	switch ((size + 7) / 8) {
	case 0:
		KTRACE_RSEQ_RECORD(KTRACE_RSEQ_CLOCK, thread, id_len, total, "",
				   KTRACE_RSEQ_SCRATCH, "i" (0));
		break;
	case 1:
		KTRACE_RSEQ_PUT_WORDS(1);
		break;
	case 2:
		KTRACE_RSEQ_PUT_WORDS(2);
		break;
	case 3:
		KTRACE_RSEQ_PUT_WORDS(3);
		break;
	case 4:
		KTRACE_RSEQ_PUT_WORDS(4);
		break;
	case 5:
		KTRACE_RSEQ_PUT_WORDS(5);
		break;
	case 6:
		KTRACE_RSEQ_PUT_WORDS(6);
		break;
	case 7:
		KTRACE_RSEQ_PUT_WORDS(7);
		break;
	default:
		KTRACE_RSEQ_PUT_WORDS(8);
		break;
	}
	return 1;
failed:
	return ktrace_rseq_leave(t);
}

/* Returns 0 if it did not record: the caller has to call the library. */
static KTRACE_INLINE int ktrace_rseq_put_words(const struct ktrace_event *ev,
					       const uint64_t *w, uint32_t size)
{
	return ktrace_rseq_put_words_with(&ktrace_thread, ktrace_rseq_thread(), ev->header, w,
					  size);
}

/* Records @nr pieces, at least one, @size bytes together; otherwise the same. */
static KTRACE_INLINE int ktrace_rseq_put_with(const struct ktrace_thread *t, uint64_t thread,
					      uint32_t id, const struct ktrace_piece *p,
					      unsigned int nr, uint32_t size)
{
	const uint32_t id_len = id | size << 16;
	const uint32_t total = ktrace_rseq_total(size);

	KTRACE_RSEQ_RECORD(KTRACE_RSEQ_CLOCK, thread, id_len, total, KTRACE_RSEQ_PUT_PIECES,
			   KTRACE_RSEQ_PIECES_SCRATCH,
			   [piece] "r" (p), [end] "r" (p + nr), [next] "i" (sizeof(*p)),
			   [from] "i" (offsetof(struct ktrace_piece, data)),
			   [size] "i" (offsetof(struct ktrace_piece, size)));
	return 1;
failed:
	return ktrace_rseq_leave(t);
}

static KTRACE_INLINE int ktrace_rseq_put_pieces(const struct ktrace_event *ev,
						const struct ktrace_piece *p, unsigned int nr,
						uint32_t size)
{
	return ktrace_rseq_put_with(&ktrace_thread, ktrace_rseq_thread(), ev->header, p, nr, size);
}

#else

#define KTRACE_IN_REGISTERS(size) 0

static KTRACE_INLINE int ktrace_rseq_put_words_with(const struct ktrace_thread *t, uint64_t thread,
						    uint32_t id_len, const uint64_t *w,
						    uint32_t size)
{
	(void)t;
	(void)thread;
	(void)id_len;
	(void)w;
	(void)size;
	return 0;
}

static KTRACE_INLINE uint64_t ktrace_rseq_words(const struct ktrace_thread *t)
{
	(void)t;
	return 0;
}

static KTRACE_INLINE int ktrace_rseq_put_with(const struct ktrace_thread *t, uint64_t thread,
					      uint32_t id, const struct ktrace_piece *p,
					      unsigned int nr, uint32_t size)
{
	(void)t;
	(void)thread;
	(void)id;
	(void)p;
	(void)nr;
	(void)size;
	return 0;
}

static KTRACE_INLINE int ktrace_rseq_put_words(const struct ktrace_event *ev, const uint64_t *w,
					       uint32_t size)
{
	(void)ev;
	(void)w;
	(void)size;
	return 0;
}

static KTRACE_INLINE int ktrace_rseq_put_pieces(const struct ktrace_event *ev,
						const struct ktrace_piece *p, unsigned int nr,
						uint32_t size)
{
	(void)ev;
	(void)p;
	(void)nr;
	(void)size;
	return 0;
}

#endif

#endif
