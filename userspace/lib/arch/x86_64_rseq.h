/* SPDX-License-Identifier: LGPL-2.1 */
/* x86_64_rseq.h - a part of writer/cpu_ring.c: a restartable sequence that stores a list, x86-64 */
#ifndef KTRACE_ARCH_X86_64_RSEQ_H
#define KTRACE_ARCH_X86_64_RSEQ_H

/*
 * Carries out all stores and publishes, or has no visible effect. Returns false if the thread has
 * left this CPU, head has moved, or the sequence was interrupted. Registers: rdx current store or
 * piece, rax bytes left, r9 bytes to skip; rdi, rsi and rcx as rep movsb needs them, r8 struct
 * rseq.
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
	"movq %c[expected](%[plan]), %%rax\n\t"
	"cmpq %%rax, (%[head])\n\t"
	"jne %l[failed]\n"
	"6:\n\t"
	"cmpq %[end], %%rdx\n\t"
	"je 7f\n\t"
	"movq %c[store_to](%%rdx), %%rdi\n\t"
	"movslq %c[from](%%rdx), %%rsi\n\t"
	"addq %[plan], %%rsi\n\t"
	"movl %c[size](%%rdx), %%ecx\n\t"
	"rep movsb\n\t"
	"addq %[next], %%rdx\n\t"
	"jmp 6b\n"
	"7:\n\t"
	"movq %c[left](%[plan]), %%rax\n\t"
	"movq %c[piece](%[plan]), %%rdx\n\t"
	"movq %c[to](%[plan]), %%rdi\n\t"
	"movq %c[skip](%[plan]), %%r9\n"
	"5:\n\t"
	"testq %%rax, %%rax\n\t"
	"jz 8f\n\t"
	"movq %c[data](%%rdx), %%rsi\n\t"
	"movq %c[data_size](%%rdx), %%rcx\n\t"
	"addq %%r9, %%rsi\n\t"
	"subq %%r9, %%rcx\n\t"
	"cmpq %%rax, %%rcx\n\t"
	"cmovaq %%rax, %%rcx\n\t"
	"subq %%rcx, %%rax\n\t"
	"rep movsb\n\t"
	"xorl %%r9d, %%r9d\n\t"
	"addq %[next_piece], %%rdx\n\t"
	"jmp 5b\n"
	"8:\n\t"
	"movq %c[new_head](%[plan]), %%rax\n\t"
	/* ORD(rseq_list:A) pairs ORD(peek:A), ORD(clock_after_head:A): list before head */
	"movq %%rax, (%[head])\n"
	"3:\n\t"
	"movq $0, " KTRACE_RSEQ_CS "(%%r8)\n\t"
	: /* asm goto has no outputs */
	: CARRY_OUT_OPERANDS(rseq, cpu, head, p)
	: "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9"
	: failed);
	return true;
failed:
	kt_store(&rseq->rseq_cs, 0);
	return false;
}

static __u64 clock_after_head(__u64 head)
{
	(void)head;
	/*
	 * ORD(clock_after_head:A) pairs ORD(rseq_record:A), ORD(rseq_list:A): they read their clock
	 * before they stored the head that we have loaded
	 */
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
}

#endif
