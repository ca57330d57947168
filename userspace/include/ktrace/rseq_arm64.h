/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * rseq_arm64.h - rseq.h for arm64, little endian
 *
 *	x9   the ring's words		x13  id, length, thread; then scratch
 *	x10  where the record goes	x14  scratch
 *	x11  head			x15  struct rseq
 *	x12  clock, then scratch	x8, x16, x17  scratch
 *
 * The processor keeps neither loads nor stores in order, and the reader runs on another CPU: so the
 * last instruction is a store-release, after which nothing of the record can be missing. It is the
 * only ordering operation. Other writers of the ring run on the same CPU, which sees its own stores
 * in program order.
 */
#ifndef KTRACE_RSEQ_ARM64_H
#define KTRACE_RSEQ_ARM64_H

#ifndef KTRACE_RSEQ_H
#error "a part of <ktrace/rseq.h>"
#endif

#ifdef KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

/* struct rseq: the offsets are kernel ABI; the signature is the one glibc registers. */
#define KTRACE_RSEQ_CPU_ID "4"
#define KTRACE_RSEQ_CS "8"
#define KTRACE_RSEQ_SIGNATURE "0xd428bc00"

/* Descriptor of the section [2, 3), struct rseq_cs; @abort: where the kernel resumes. */
#define KTRACE_RSEQ_DESCRIPTOR(abort) \
	".pushsection __ktrace_rseq_cs, \"aw?\"\n\t" \
	".balign 32\n" \
	"9:\n\t" \
	".long 0, 0\n\t"			/* version, flags */ \
	".quad 2f, 3f - 2f, " abort "\n\t"	/* begin, length, abort handler */ \
	".popsection\n\t"

/*
 * Precedes the place where the kernel resumes: the signature, which is a breakpoint. The code jumps
 * over it rather than being elsewhere: see rseq_x86.h about unwinders.
 */
#define KTRACE_RSEQ_MARK ".inst " KTRACE_RSEQ_SIGNATURE "\n"

/* Lets struct rseq, in register @rseq, point to the descriptor. */
#define KTRACE_RSEQ_ARM(rseq) \
	"adrp x14, 9b\n\t" \
	"add x14, x14, :lo12:9b\n\t" \
	"str x14, [" rseq ", " KTRACE_RSEQ_CS "]\n"

/* The processor may read the counter before earlier instructions are done. */
#define KTRACE_RSEQ_CLOCK "mrs x12, cntvct_el0\n\t"

#define KTRACE_RSEQ_SCRATCH "x17"
#define KTRACE_RSEQ_PIECES_SCRATCH "x17"

/*
 * @clock: reads the clock into x12, early; may use x8, x16 and x17. Comes after the comparison of
 * the CPU: a thread that may not read the clock knows no CPU.
 * @payload: instructions that store the payload at [x10, 16]; they may use x8, x10, x12 to x14, x16
 * and x17. The other arguments are operands for it. @where is the address of ktrace_thread.
 */
#define KTRACE_RSEQ_RECORD(clock, where, id_and_len, total, payload, scratch, ...) \
	__asm__ __volatile__ goto ( \
	KTRACE_RSEQ_DESCRIPTOR("1f") \
	"ldr x15, [%[thread], %c[rseq]]\n\t" \
	"b 1f\n\t" \
	KTRACE_RSEQ_MARK \
	"1:\n\t" \
	KTRACE_RSEQ_ARM("x15")					/* begin */ \
	"2:\n\t" \
	"ldr w14, [x15, " KTRACE_RSEQ_CPU_ID "]\n\t"		/* still the CPU we know? */ \
	"ldr x13, [%[thread], %c[not_block]]\n\t"		/* with cpu in its upper half */ \
	"cmp x14, x13, lsr 32\n\t" \
	"b.ne %l[failed]\n\t" \
	clock \
	"ldp x9, x10, [%[thread], %c[ring]]\n\t"		/* with data */ \
	"ldr x11, [x9]\n\t"					/* head */ \
	"sub w14, w11, 1\n\t"					/* is there room in the block? */ \
	"orr w14, w14, w13\n\t" \
	"adds w14, w14, %w[total_size]\n\t" \
	"b.cs %l[failed]\n\t"					/* no: open the next one */ \
	"ldp x16, x13, [%[thread], %c[size_mask]]\n\t"		/* with tid_flags */ \
	"and x16, x11, x16\n\t" \
	"add x10, x10, x16\n\t"					/* place of the record */ \
	"orr x13, x13, %x[header]\n\t"				/* id, length, thread */ \
	"stp x12, x13, [x10]\n\t"				/* stamp first */ \
	payload \
	"add x11, x11, %x[total_size]\n\t" \
	/* As ORD(rseq_record:A): record before head */ \
	"stlr x11, [x9]\n" \
	"3:\n\t" \
	"str xzr, [x15, " KTRACE_RSEQ_CS "]\n\t" \
	: /* asm goto has no outputs */ \
	: [thread] "r" (where), [header] "r" ((uint64_t)(id_and_len)), \
	  [total_size] "rI" ((uint64_t)(total)), \
	  [rseq] "i" (offsetof(struct ktrace_thread, rseq)), \
	  [ring] "i" (offsetof(struct ktrace_thread, ring)), \
	  [not_block] "i" (offsetof(struct ktrace_thread, not_block)), \
	  [size_mask] "i" (offsetof(struct ktrace_thread, size_mask)), \
	  __VA_ARGS__ \
	: "memory", "cc", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", scratch \
	: failed)

#define KTRACE_RSEQ_WORD(name, offset) "str %x[" name "], [x10, " offset "]\n\t"
#define KTRACE_RSEQ_PAIR(first, second, offset) \
	"stp %x[" first "], %x[" second "], [x10, " offset "]\n\t"
#define KTRACE_RSEQ_PUT_1 KTRACE_RSEQ_WORD("w0", "16")
#define KTRACE_RSEQ_WORDS_1 [w0] "rZ" (w[0])
#define KTRACE_RSEQ_PUT_2 KTRACE_RSEQ_PAIR("w0", "w1", "16")
#define KTRACE_RSEQ_WORDS_2 KTRACE_RSEQ_WORDS_1, [w1] "rZ" (w[1])
#define KTRACE_RSEQ_PUT_3 KTRACE_RSEQ_PUT_2 KTRACE_RSEQ_WORD("w2", "32")
#define KTRACE_RSEQ_WORDS_3 KTRACE_RSEQ_WORDS_2, [w2] "rZ" (w[2])
#define KTRACE_RSEQ_PUT_4 KTRACE_RSEQ_PUT_2 KTRACE_RSEQ_PAIR("w2", "w3", "32")
#define KTRACE_RSEQ_WORDS_4 KTRACE_RSEQ_WORDS_3, [w3] "rZ" (w[3])
#define KTRACE_RSEQ_PUT_5 KTRACE_RSEQ_PUT_4 KTRACE_RSEQ_WORD("w4", "48")
#define KTRACE_RSEQ_WORDS_5 KTRACE_RSEQ_WORDS_4, [w4] "rZ" (w[4])
#define KTRACE_RSEQ_PUT_6 KTRACE_RSEQ_PUT_4 KTRACE_RSEQ_PAIR("w4", "w5", "48")
#define KTRACE_RSEQ_WORDS_6 KTRACE_RSEQ_WORDS_5, [w5] "rZ" (w[5])
#define KTRACE_RSEQ_PUT_7 KTRACE_RSEQ_PUT_6 KTRACE_RSEQ_WORD("w6", "64")
#define KTRACE_RSEQ_WORDS_7 KTRACE_RSEQ_WORDS_6, [w6] "rZ" (w[6])
#define KTRACE_RSEQ_PUT_8 KTRACE_RSEQ_PUT_6 KTRACE_RSEQ_PAIR("w6", "w7", "64")
#define KTRACE_RSEQ_WORDS_8 KTRACE_RSEQ_WORDS_7, [w7] "rZ" (w[7])

/* The address of ktrace_thread. Its members are close, so that pairs of them are loaded at once. */
static KTRACE_INLINE uint64_t ktrace_rseq_thread(void)
{
	return (uint64_t)(uintptr_t)&ktrace_thread;
}

static KTRACE_INLINE uint64_t ktrace_rseq_words(const struct ktrace_thread *t)
{
	return (uint64_t)(uintptr_t)t;
}

/*
 * Copies x14 bytes from x13 to x10 and leaves x10 after them; uses x8, x16 and x17. Copies by pairs
 * of words, the last one first, as the others may overlap it.
 */
#define KTRACE_RSEQ_COPY \
	"subs x14, x14, 16\n\t" \
	"b.lo 11f\n\t" \
	"add x8, x13, x14\n\t" \
	"ldp x16, x17, [x8]\n\t" \
	"add x8, x10, x14\n\t" \
	"stp x16, x17, [x8], 16\n\t" \
	"cbz x14, 12f\n" \
	"10:\n\t" \
	"ldp x16, x17, [x13], 16\n\t" \
	"stp x16, x17, [x10], 16\n\t" \
	"subs x14, x14, 16\n\t" \
	"b.hi 10b\n" \
	"12:\n\t" \
	"mov x10, x8\n\t" \
	"b 17f\n" \
	"11:\n\t"						/* fewer than 16 bytes */ \
	"tbz x14, 3, 13f\n\t" \
	"ldr x16, [x13], 8\n\t" \
	"str x16, [x10], 8\n" \
	"13:\n\t" \
	"tbz x14, 2, 14f\n\t" \
	"ldr w16, [x13], 4\n\t" \
	"str w16, [x10], 4\n" \
	"14:\n\t" \
	"tbz x14, 1, 15f\n\t" \
	"ldrh w16, [x13], 2\n\t" \
	"strh w16, [x10], 2\n" \
	"15:\n\t" \
	"tbz x14, 0, 17f\n\t" \
	"ldrb w16, [x13], 1\n\t" \
	"strb w16, [x10], 1\n" \
	"17:\n\t"

/* Copies the pieces, the next one at x12. */
#define KTRACE_RSEQ_PUT_PIECES \
	"add x10, x10, 16\n\t" \
	"mov x12, %[piece]\n" \
	"6:\n\t" \
	"ldr x13, [x12, %c[from]]\n\t" \
	"ldr x14, [x12, %c[size]]\n\t" \
	KTRACE_RSEQ_COPY \
	"add x12, x12, %c[next]\n\t" \
	"cmp x12, %[end]\n\t" \
	"b.ne 6b\n\t"

#endif
