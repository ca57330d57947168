/* SPDX-License-Identifier: LGPL-2.1 */
/* arm64_rseq.h - a part of writer/cpu_ring.c: a restartable sequence that stores a list, arm64 */
#ifndef KTRACE_ARCH_ARM64_RSEQ_H
#define KTRACE_ARCH_ARM64_RSEQ_H

/*
 * Carries out all stores and publishes, or has no visible effect. Returns false if the thread has
 * left this CPU, head has moved, or the sequence was interrupted. Registers: x12 current store or
 * piece, x11 bytes left, x9 bytes to skip; x10, x13 and x14 as KTRACE_RSEQ_COPY needs them.
 */
static bool carry_out(struct rseq_words *rseq, __u32 cpu, __u64 *head, const struct plan *p)
{
	__asm__ __volatile__ goto (
	KTRACE_RSEQ_DESCRIPTOR("4f")
	"b 1f\n\t"
	KTRACE_RSEQ_MARK
	"4:\n\t"
	"b %l[failed]\n"
	"1:\n\t"
	"mov x12, %[store]\n\t"
	KTRACE_RSEQ_ARM("%[rseq]")					/* begin */
	"2:\n\t"
	"ldr w14, [%[rseq], " KTRACE_RSEQ_CPU_ID "]\n\t"
	"cmp w14, %w[cpu]\n\t"
	"b.ne %l[failed]\n\t"
	"ldr x14, [%[plan], %c[expected]]\n\t"
	"ldr x13, [%[head]]\n\t"
	"cmp x13, x14\n\t"
	"b.ne %l[failed]\n\t"
	/*
	 * As ORD(give_up_block:A): head, which gave up the next block's old bytes, before new ones.
	 * A release does not keep later stores behind it. Once a block, so not in a record's way.
	 */
	"dmb ishst\n"
	"6:\n\t"
	"cmp x12, %[end]\n\t"
	"b.eq 7f\n\t"
	"ldr x10, [x12, %c[store_to]]\n\t"
	"ldrsw x13, [x12, %c[from]]\n\t"
	"add x13, x13, %[plan]\n\t"
	"ldr w14, [x12, %c[size]]\n\t"
	KTRACE_RSEQ_COPY
	"add x12, x12, %c[next]\n\t"
	"b 6b\n"
	"7:\n\t"
	"ldr x11, [%[plan], %c[left]]\n\t"
	"ldr x12, [%[plan], %c[piece]]\n\t"
	"ldr x10, [%[plan], %c[to]]\n\t"
	"ldr x9, [%[plan], %c[skip]]\n"
	"5:\n\t"
	"cbz x11, 8f\n\t"
	"ldr x13, [x12, %c[data]]\n\t"
	"ldr x14, [x12, %c[data_size]]\n\t"
	"add x13, x13, x9\n\t"
	"sub x14, x14, x9\n\t"
	"cmp x14, x11\n\t"
	"csel x14, x14, x11, ls\n\t"
	"sub x11, x11, x14\n\t"
	KTRACE_RSEQ_COPY
	"mov x9, 0\n\t"
	"add x12, x12, %c[next_piece]\n\t"
	"b 5b\n"
	"8:\n\t"
	"ldr x14, [%[plan], %c[new_head]]\n\t"
	/* As ORD(rseq_list:A): list before head */
	"stlr x14, [%[head]]\n"
	"3:\n\t"
	"str xzr, [%[rseq], " KTRACE_RSEQ_CS "]\n\t"
	: /* asm goto has no outputs */
	: CARRY_OUT_OPERANDS(rseq, cpu, head, p)
	: "memory", "cc", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x16", "x17"
	: failed);
	return true;
failed:
	kt_store(&rseq->rseq_cs, 0);
	return false;
}

static __u64 clock_after_head(__u64 head)
{
	__u64 now;

	/*
	 * As ORD(clock_after_head:A). An isb alone does not wait for the load of head, but nothing
	 * passes it before branches are decided, so this branch depends on head.
	 */
	__asm__ __volatile__("cbz %1, 1f\n"
			     "1:\tisb\n\t"
			     "mrs %0, cntvct_el0" : "=r" (now) : "r" (head) : "memory");
	return now;
}

#endif
