/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* x86.h - arch.h for x86, 64 and 32 bits */
#ifndef KT_RING_ARCH_X86_H
#define KT_RING_ARCH_X86_H

/*
 * A signal handler interrupts between two instructions, never within one. So this goes without the
 * lock prefix, which costs more than the rest of a record. ThreadSanitizer has to see the access
 * and gets a builtin.
 */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
static inline bool kt_cmpxchg_local(__u64 *p, __u64 old, __u64 new_value)
{
	bool is_done;

	__asm__ __volatile__("cmpxchgq %[new_value], %[p]"
			     : "=@ccz" (is_done), [p] "+m" (*p), "+a" (old)
			     : [new_value] "r" (new_value) : "memory");
	return is_done;
}

#define kt_cmpxchg_local kt_cmpxchg_local
#endif

#define KT_HAS_COUNTER 1

static inline __u64 kt_counter(void)
{
	return __builtin_ia32_rdtsc();
}

static inline void kt_pause(void)
{
	__builtin_ia32_pause();
}

#define kt_pause kt_pause

#endif
