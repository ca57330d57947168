/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * rseq_x86.h - rseq.h for x86-64
 *
 *	rax  clock, then scratch	rcx  head
 *	rdx  clock, then scratch	rsi  where the record goes
 *	rdi  the ring's words		r8   struct rseq
 *
 * The processor keeps stores in order, so the last one publishes the record.
 */
#ifndef KTRACE_RSEQ_X86_H
#define KTRACE_RSEQ_X86_H

#ifndef KTRACE_RSEQ_H
#error "a part of <ktrace/rseq.h>"
#endif

#ifdef KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

/* struct rseq: the offsets are kernel ABI; the signature is the one glibc registers. */
#define KTRACE_RSEQ_CPU_ID "4"
#define KTRACE_RSEQ_CS "8"
#define KTRACE_RSEQ_SIGNATURE "0x53053053"

/* Descriptor of the section [2, 3), struct rseq_cs; @abort: where the kernel resumes. */
#define KTRACE_RSEQ_DESCRIPTOR(abort) \
	".pushsection __ktrace_rseq_cs, \"aw?\"\n\t" \
	".balign 32\n" \
	"9:\n\t" \
	".long 0, 0\n\t"			/* version, flags */ \
	".quad 2f, 3f - 2f, " abort "\n\t"	/* begin, length, abort handler */ \
	".popsection\n\t"

/*
 * Precedes the place where the kernel resumes: the signature, as part of a nop. Being executable,
 * it needs no jump around it, so that this place can be inside the function. A stack unwinder that
 * starts there, as in an asynchronous cancellation, needs the compiler's unwind information, which
 * code unknown to the compiler lacks.
 */
#define KTRACE_RSEQ_MARK \
	".byte 0x0f, 0x1f, 0x80\n\t"				/* nopl signature(%rax) */ \
	".long " KTRACE_RSEQ_SIGNATURE "\n"

/* The processor may read the clock before earlier instructions are done. */
#define KTRACE_RSEQ_CLOCK "rdtsc\n\t"

#define KTRACE_RSEQ_SCRATCH "r8"
#define KTRACE_RSEQ_PIECES_SCRATCH "r9"

/*
 * @clock: reads the clock into rdx and eax, early: other work overlaps it; may use rcx. Comes after
 * the comparison of the CPU: a thread that may not read the clock knows no CPU.
 * @payload: instructions that store the payload at 16(%rsi); they may use rax, rdx, rsi and
 * @scratch. The other arguments are operands for it. @tls is the offset of ktrace_thread.
 */
#define KTRACE_RSEQ_RECORD(clock, tls_off, id_and_len, total, payload, scratch, ...) \
	__asm__ __volatile__ goto ( \
	KTRACE_RSEQ_DESCRIPTOR("1f") \
	"movq %%fs:%c[rseq](%[tls]), %%r8\n\t" \
	KTRACE_RSEQ_MARK \
	"1:\n\t" \
	"leaq 9b(%%rip), %%rax\n\t" \
	"movq %%rax, " KTRACE_RSEQ_CS "(%%r8)\n"		/* begin */ \
	"2:\n\t" \
	"movl " KTRACE_RSEQ_CPU_ID "(%%r8), %%ecx\n\t"		/* still the CPU we know? */ \
	"cmpl %%fs:%c[cpu](%[tls]), %%ecx\n\t" \
	"jne %l[failed]\n\t" \
	clock \
	"movq %%fs:%c[ring](%[tls]), %%rdi\n\t" \
	"movq (%%rdi), %%rcx\n\t"				/* head */ \
	"leal -1(%%rcx), %%esi\n\t"				/* is there room in the block? */ \
	"orl %%fs:%c[not_block](%[tls]), %%esi\n\t" \
	"addl %k[total_size], %%esi\n\t" \
	"jc %l[failed]\n\t"					/* no: open the next one */ \
	"movq %%rcx, %%rsi\n\t"					/* place of the record */ \
	"andq %%fs:%c[size_mask](%[tls]), %%rsi\n\t" \
	"addq %%fs:%c[data](%[tls]), %%rsi\n\t" \
	"movl %%eax, (%%rsi)\n\t"				/* stamp */ \
	"movl %%edx, 4(%%rsi)\n\t" \
	"movl %[header], %%eax\n\t"				/* id, length, thread */ \
	"orq %%fs:%c[tid_flags](%[tls]), %%rax\n\t" \
	"movq %%rax, 8(%%rsi)\n\t" \
	payload \
	"addq %[total_size], %%rcx\n\t" \
	/* ORD(rseq_record:A) pairs ORD(peek:A), ORD(clock_after_head:A): record before head */ \
	"movq %%rcx, (%%rdi)\n" \
	"3:\n\t" \
	"movq $0, " KTRACE_RSEQ_CS "(%%r8)\n\t" \
	: /* asm goto has no outputs */ \
	: [tls] "r" (tls_off), [header] "r" (id_and_len), [total_size] "ri" ((uint64_t)(total)), \
	  [rseq] "i" (offsetof(struct ktrace_thread, rseq)), \
	  [cpu] "i" (offsetof(struct ktrace_thread, cpu)), \
	  [ring] "i" (offsetof(struct ktrace_thread, ring)), \
	  [data] "i" (offsetof(struct ktrace_thread, data)), \
	  [not_block] "i" (offsetof(struct ktrace_thread, not_block)), \
	  [size_mask] "i" (offsetof(struct ktrace_thread, size_mask)), \
	  [tid_flags] "i" (offsetof(struct ktrace_thread, tid_flags)), \
	  __VA_ARGS__ \
	: "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", scratch \
	: failed)

/*
 * Up to four words are in registers. Of more words only the first two are, as there might be too
 * few registers; the compiler chooses where the others are.
 */
#define KTRACE_RSEQ_WORD(name, offset) "movq %[" name "], " offset "(%%rsi)\n\t"
#define KTRACE_RSEQ_MOVE(name, offset) \
	"movq %[" name "], %%rax\n\tmovq %%rax, " offset "(%%rsi)\n\t"
#define KTRACE_RSEQ_PUT_1 KTRACE_RSEQ_WORD("w0", "16")
#define KTRACE_RSEQ_WORDS_1 [w0] "r" (w[0])
#define KTRACE_RSEQ_PUT_2 KTRACE_RSEQ_PUT_1 KTRACE_RSEQ_WORD("w1", "24")
#define KTRACE_RSEQ_WORDS_2 KTRACE_RSEQ_WORDS_1, [w1] "r" (w[1])
#define KTRACE_RSEQ_PUT_3 KTRACE_RSEQ_PUT_2 KTRACE_RSEQ_WORD("w2", "32")
#define KTRACE_RSEQ_WORDS_3 KTRACE_RSEQ_WORDS_2, [w2] "r" (w[2])
#define KTRACE_RSEQ_PUT_4 KTRACE_RSEQ_PUT_3 KTRACE_RSEQ_WORD("w3", "40")
#define KTRACE_RSEQ_WORDS_4 KTRACE_RSEQ_WORDS_3, [w3] "r" (w[3])
#define KTRACE_RSEQ_PUT_5 \
	KTRACE_RSEQ_PUT_2 KTRACE_RSEQ_MOVE("w2", "32") KTRACE_RSEQ_MOVE("w3", "40") \
	KTRACE_RSEQ_MOVE("w4", "48")
#define KTRACE_RSEQ_WORDS_5 \
	KTRACE_RSEQ_WORDS_2, [w2] "rm" (w[2]), [w3] "rm" (w[3]), [w4] "rm" (w[4])
#define KTRACE_RSEQ_PUT_6 KTRACE_RSEQ_PUT_5 KTRACE_RSEQ_MOVE("w5", "56")
#define KTRACE_RSEQ_WORDS_6 KTRACE_RSEQ_WORDS_5, [w5] "rm" (w[5])
#define KTRACE_RSEQ_PUT_7 KTRACE_RSEQ_PUT_6 KTRACE_RSEQ_MOVE("w6", "64")
#define KTRACE_RSEQ_WORDS_7 KTRACE_RSEQ_WORDS_6, [w6] "rm" (w[6])
#define KTRACE_RSEQ_PUT_8 KTRACE_RSEQ_PUT_7 KTRACE_RSEQ_MOVE("w7", "72")
#define KTRACE_RSEQ_WORDS_8 KTRACE_RSEQ_WORDS_7, [w7] "rm" (w[7])

/*
 * Returns the offset of ktrace_thread from the thread pointer, which saves one addition over the
 * compiler's own access. In an executable it is a constant, because reading the clock waits for
 * earlier loads.
 */
static KTRACE_INLINE uint64_t ktrace_rseq_thread(void)
{
	uint64_t offset;

#if defined(KTRACE_IS_SHARED_OBJECT)
	__asm__("movq ktrace_thread@gottpoff(%%rip), %0" : "=r" (offset));
#else
	__asm__("movq $ktrace_thread@tpoff, %0" : "=r" (offset));
#endif
	return offset;
}

static KTRACE_INLINE uint64_t ktrace_rseq_words(const struct ktrace_thread *t)
{
	uint64_t pointer;

	__asm__("movq %%fs:0, %0" : "=r" (pointer));
	return (uint64_t)(uintptr_t)t - pointer;
}

/*
 * Copies rcx bytes from rsi to rdi and leaves rdi after them; takes the three names of a scratch
 * register. Copies by words, the last one first, as the others may overlap it; from 128 bytes on
 * with rep movsb.
 */
#define KTRACE_RSEQ_COPY(r64, r32, r8) \
	"cmpq $128, %%rcx\n\t" \
	"jae 13f\n\t" \
	"subq $8, %%rcx\n\t" \
	"jb 11f\n\t" \
	"addq %%rcx, %%rsi\n\t" \
	"addq %%rcx, %%rdi\n\t" \
	"movq (%%rsi), " r64 "\n\t" \
	"movq " r64 ", (%%rdi)\n\t" \
	"addq $8, %%rdi\n\t" \
	"negq %%rcx\n\t" \
	"jz 14f\n" \
	"10:\n\t" \
	"movq (%%rsi,%%rcx), " r64 "\n\t" \
	"movq " r64 ", -8(%%rdi,%%rcx)\n\t" \
	"addq $8, %%rcx\n\t" \
	"js 10b\n\t" \
	"jmp 14f\n" \
	"11:\n\t"						/* fewer than 8 bytes */ \
	"addq $8, %%rcx\n\t" \
	"jz 14f\n\t" \
	"cmpq $4, %%rcx\n\t" \
	"jb 12f\n\t" \
	"movl (%%rsi), " r32 "\n\t" \
	"movl " r32 ", (%%rdi)\n\t" \
	"movl -4(%%rsi,%%rcx), " r32 "\n\t" \
	"movl " r32 ", -4(%%rdi,%%rcx)\n\t" \
	"addq %%rcx, %%rdi\n\t" \
	"jmp 14f\n" \
	"12:\n\t" \
	"movb (%%rsi), " r8 "\n\t" \
	"movb " r8 ", (%%rdi)\n\t" \
	"incq %%rsi\n\t" \
	"incq %%rdi\n\t" \
	"decq %%rcx\n\t" \
	"jnz 12b\n\t" \
	"jmp 14f\n" \
	"13:\n\t" \
	"rep movsb\n" \
	"14:\n\t"

/* Copies the pieces, the next one at rdx; rax holds head meanwhile. */
#define KTRACE_RSEQ_PUT_PIECES \
	"movq %%rcx, %%rax\n\t" \
	"leaq 16(%%rsi), %%rdi\n\t" \
	"movq %[piece], %%rdx\n" \
	"6:\n\t" \
	"movq %c[from](%%rdx), %%rsi\n\t" \
	"movq %c[size](%%rdx), %%rcx\n\t" \
	KTRACE_RSEQ_COPY("%%r9", "%%r9d", "%%r9b") \
	"addq %[next], %%rdx\n\t" \
	"cmpq %[end], %%rdx\n\t" \
	"jne 6b\n\t" \
	"movq %%fs:%c[ring](%[tls]), %%rdi\n\t" \
	"movq %%rax, %%rcx\n\t"

#endif
