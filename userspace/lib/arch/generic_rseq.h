/* SPDX-License-Identifier: LGPL-2.1 */
/* generic_rseq.h - a part of writer/cpu_ring.c: without restartable sequences, never called */
#ifndef KTRACE_ARCH_GENERIC_RSEQ_H
#define KTRACE_ARCH_GENERIC_RSEQ_H

static bool carry_out(struct rseq_words *rseq, __u32 cpu, __u64 *head, const struct plan *p)
{
	(void)rseq;
	(void)cpu;
	(void)head;
	(void)p;
	return false;
}

static __u64 clock_after_head(__u64 head)
{
	(void)head;
	return 0;
}

#endif
