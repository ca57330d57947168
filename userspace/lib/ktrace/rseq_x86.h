/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * rseq_x86.h - one record in one restartable sequence (rseq(2)), x86-64
 *
 * Between labels 2 and 3 the kernel restarts the sequence at label 1 whenever the
 * thread was preempted, migrated or took a signal; so whoever gets to the last
 * instruction was alone on its CPU all the time, and is the one writer of that CPU's
 * ring. Nothing before the last store has any effect: it goes behind head, where bytes
 * are scratch. The clock is read inside, so stamps ascend with positions.
 *
 *	rax  clock and scratch		rcx  head
 *	rdx  clock and scratch		rsi  where the record goes
 *	rdi  the ring's words
 *
 * What the section reads from shared memory is head only; whatever it holds, the masks
 * in struct ktrace_thread keep the stores inside the ring: head & block_mask gives the
 * room in the block, head & size_mask the place.
 *
 * rseq.rseq_cs is cleared behind the section, since a plug-in's code, and with it the
 * descriptor, may be unmapped later.
 */
#ifndef KTRACE_RSEQ_X86_H
#define KTRACE_RSEQ_X86_H

/* struct rseq: offsets are ABI of the kernel; the signature is the one glibc registers. */
#define KTRACE_RSEQ_CPU_ID "4"
#define KTRACE_RSEQ_CS "8"
#define KTRACE_RSEQ_SIGNATURE "0x53053053"

/* Descriptor of the section [2, 3) with its abort handler, struct rseq_cs. */
#define KTRACE_RSEQ_DESCRIPTOR \
	".pushsection __ktrace_rseq_cs, \"aw?\"\n\t" \
	".balign 32\n" \
	"9:\n\t" \
	".long 0, 0\n\t"			/* version, flags */ \
	".quad 2f, 3f - 2f, 4f\n\t"		/* begin, length, abort handler */ \
	".popsection\n\t"

/* Out of line: the abort handler, behind its signature as part of an ud1 instruction. */
#define KTRACE_RSEQ_EXITS(abort, failed) \
	".pushsection .text.unlikely, \"ax?\"\n\t" \
	".byte 0x0f, 0xb9, 0x3d\n\t" \
	".long " KTRACE_RSEQ_SIGNATURE "\n" \
	"4:\n\t" \
	"jmp " abort "\n" \
	"5:\n\t" \
	"movq $0, " KTRACE_RSEQ_CS "(%[rseq])\n\t" \
	"jmp " failed "\n\t" \
	".popsection\n\t"

/*
 * @payload: instructions that store the payload at 16(%rsi); they may use rax and rdx.
 * The other arguments are operands for it.
 */
#define KTRACE_RSEQ_RECORD(t, header, total, payload, ...) \
	__asm__ __volatile__ goto ( \
	KTRACE_RSEQ_DESCRIPTOR \
	"1:\n\t" \
	"leaq 9b(%%rip), %%rax\n\t" \
	"movq %%rax, " KTRACE_RSEQ_CS "(%[rseq])\n"		/* begin */ \
	"2:\n\t" \
	"movl " KTRACE_RSEQ_CPU_ID "(%[rseq]), %%edi\n\t"	/* the CPU's ring */ \
	"cmpl %c[cpu_nr](%[thread]), %%edi\n\t" \
	"jae 5f\n\t"						/* no ring, or no rseq */ \
	"imulq %c[stride](%[thread]), %%rdi\n\t" \
	"addq %c[rings](%[thread]), %%rdi\n\t" \
	"movq (%%rdi), %%rcx\n\t"				/* head */ \
	"movl %%ecx, %%eax\n\t"					/* room in the block */ \
	"negl %%eax\n\t" \
	"andl %c[block_mask](%[thread]), %%eax\n\t" \
	"cmpl %[total_size], %%eax\n\t" \
	"jb 5f\n\t"						/* open the next block */ \
	"movl %c[data_off](%[thread]), %%esi\n\t"		/* place of the record */ \
	"movq %c[size_mask](%[thread]), %%rdx\n\t" \
	"addq %%rdi, %%rsi\n\t" \
	"andq %%rcx, %%rdx\n\t" \
	"addq %%rdx, %%rsi\n\t" \
	"rdtsc\n\t"						/* stamp */ \
	"shlq $32, %%rdx\n\t" \
	"orq %%rdx, %%rax\n\t" \
	"movq %%rax, (%%rsi)\n\t" \
	"movq %[header_word], 8(%%rsi)\n\t"			/* id, length, tid */ \
	payload \
	"addq %q[total_size], %%rcx\n\t" \
	/* ORD(rseq_record:A) pairs ORD(peek:A): records before head (x86 keeps stores in order) */ \
	"movq %%rcx, (%%rdi)\n"					/* publish */ \
	"3:\n\t" \
	"movq $0, " KTRACE_RSEQ_CS "(%[rseq])\n\t" \
	KTRACE_RSEQ_EXITS("1b", "%l[failed]") \
	: /* asm goto has no outputs */ \
	: [rseq] "r" ((t)->rseq), [thread] "r" (t), \
	  [header_word] "r" (header), [total_size] "r" (total), \
	  [cpu_nr] "i" (offsetof(struct ktrace_thread, cpu_nr)), \
	  [stride] "i" (offsetof(struct ktrace_thread, stride)), \
	  [rings] "i" (offsetof(struct ktrace_thread, rings)), \
	  [block_mask] "i" (offsetof(struct ktrace_thread, block_mask)), \
	  [size_mask] "i" (offsetof(struct ktrace_thread, size_mask)), \
	  [data_off] "i" (offsetof(struct ktrace_thread, data_off)), \
	  __VA_ARGS__ \
	: "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi" \
	: failed)

#define KTRACE_RSEQ_WORD(name, offset) "movq %[" name "], " offset "(%%rsi)\n\t"

/* Header word of a record: id, length, thread; the second word of struct ktrace_record. */
static KTRACE_INLINE uint64_t ktrace_rseq_header(const struct ktrace_thread *t, uint16_t id,
						 uint32_t size)
{
	return (uint64_t)id | (uint64_t)size << 16 | (uint64_t)t->tid << 32;
}

static KTRACE_INLINE uint32_t ktrace_rseq_total(uint32_t size)
{
	return (size + 16 + 7) & ~7u;
}

/* @size bytes in at most KTRACE_WORDS_MAX words. 0: not recorded, ask the library. */
static KTRACE_INLINE int ktrace_rseq_put_words(uint16_t id, const uint64_t *w, uint32_t size)
{
	const struct ktrace_thread *t = &ktrace_thread;
	const uint64_t header = ktrace_rseq_header(t, id, size);
	const uint32_t total = ktrace_rseq_total(size);

	if (KTRACE_UNLIKELY(!t->rseq))
		return 0;
	switch ((size + 7) / 8) {
	case 0:
		KTRACE_RSEQ_RECORD(t, header, total, "", "i" (0));
		return 1;
	case 1:
		KTRACE_RSEQ_RECORD(t, header, total, KTRACE_RSEQ_WORD("w0", "16"),
				   [w0] "r" (w[0]));
		return 1;
	case 2:
		KTRACE_RSEQ_RECORD(t, header, total,
				   KTRACE_RSEQ_WORD("w0", "16") KTRACE_RSEQ_WORD("w1", "24"),
				   [w0] "r" (w[0]), [w1] "r" (w[1]));
		return 1;
	case 3:
		KTRACE_RSEQ_RECORD(t, header, total,
				   KTRACE_RSEQ_WORD("w0", "16") KTRACE_RSEQ_WORD("w1", "24")
				   KTRACE_RSEQ_WORD("w2", "32"),
				   [w0] "r" (w[0]), [w1] "r" (w[1]), [w2] "r" (w[2]));
		return 1;
	default:
		KTRACE_RSEQ_RECORD(t, header, total,
				   KTRACE_RSEQ_WORD("w0", "16") KTRACE_RSEQ_WORD("w1", "24")
				   KTRACE_RSEQ_WORD("w2", "32") KTRACE_RSEQ_WORD("w3", "40"),
				   [w0] "r" (w[0]), [w1] "r" (w[1]), [w2] "r" (w[2]),
				   [w3] "r" (w[3]));
		return 1;
	}
failed:
	return 0;
}

/* @size bytes at @w, read in whole words. 0: not recorded, ask the library. */
static KTRACE_INLINE int ktrace_rseq_put(uint16_t id, const uint64_t *w, uint32_t size)
{
	const struct ktrace_thread *t = &ktrace_thread;
	const uint64_t header = ktrace_rseq_header(t, id, size);
	const uint32_t total = ktrace_rseq_total(size);
	const uint64_t words = (size + 7) / 8;

	if (KTRACE_UNLIKELY(!t->rseq))
		return 0;
	KTRACE_RSEQ_RECORD(t, header, total,
			   "xorl %%eax, %%eax\n"		/* word by word */
			   "6:\n\t"
			   "movq (%[from],%%rax,8), %%rdx\n\t"
			   "movq %%rdx, 16(%%rsi,%%rax,8)\n\t"
			   "incq %%rax\n\t"
			   "cmpq %[word_nr], %%rax\n\t"
			   "jb 6b\n\t",
			   [from] "r" (w), [word_nr] "r" (words));
	return 1;
failed:
	return 0;
}

#endif
