/* SPDX-License-Identifier: LGPL-2.1 */
/* generic.h - arch.h for what a processor has no file or nothing better for */
#ifndef KTRACE_ARCH_GENERIC_H
#define KTRACE_ARCH_GENERIC_H

#include <pthread.h>

#ifndef ARCH_HAS_THREAD_POINTER
#define ARCH_HAS_THREAD_POINTER 0

static inline char *arch_thread_pointer(void)
{
	return NULL;
}
#endif

#ifndef arch_self
static inline __u64 arch_self(void)
{
	return (__u64)(uintptr_t)pthread_self();
}
#endif

#ifndef ARCH_CLOCKSOURCE
#define ARCH_CLOCKSOURCE ""

static inline bool arch_counter_is_constant(void)
{
	return false;
}
#endif

#ifndef arch_has_ordered_counter
static inline bool arch_has_ordered_counter(void)
{
	return false;
}
#endif

#ifndef arch_counter_waits
static inline void arch_counter_waits(void)
{
}
#endif

#ifndef ARCH_HAS_RSEQ
#define ARCH_HAS_RSEQ 0
#define ARCH_RSEQ_H "arch/generic_rseq.h"
#define ARCH_POSIX_H "arch/generic_posix.h"
#endif

#ifndef arch_checker_request
static inline uintptr_t arch_checker_request(volatile uintptr_t *args, uintptr_t answer)
{
	(void)args;
	return answer;
}
#endif

#ifndef ARCH_X32_BIT
#define ARCH_X32_BIT 0
#endif

#endif
