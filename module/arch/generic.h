/* SPDX-License-Identifier: GPL-2.0 */
/* generic.h - arch.h for what an architecture has no file or nothing better for */
#ifndef KT_ARCH_GENERIC_H
#define KT_ARCH_GENERIC_H

#include <linux/compat.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include <asm/unistd.h>
#include <uapi/linux/ktrace_events.h>

#ifndef kt_arch_has_counter
static inline bool kt_arch_has_counter(void)
{
	return false;
}

static inline bool kt_arch_counter_is_stable(void)
{
	return false;
}

static inline u32 kt_arch_counter_khz(void)
{
	return 0;
}

static inline u64 kt_arch_counter(void)
{
	return 0;
}
#endif

#ifndef kt_arch_inc_local
static inline void kt_arch_inc_local(u64 *p)
{
	WRITE_ONCE(*p, READ_ONCE(*p) + 1);
}
#endif

#ifndef kt_arch_syscall_abi
static inline u32 kt_arch_syscall_abi(int nr)
{
	return in_compat_syscall() ? KTRACE_SYSCALL_COMPAT : KTRACE_SYSCALL_NATIVE;
}
#endif

#ifndef kt_arch_plain_nr
static inline long kt_arch_plain_nr(long nr)
{
	return nr;
}
#endif

#ifndef kt_arch_is_exec
static inline bool kt_arch_is_exec(int nr)
{
	return nr == __NR_execve || nr == __NR_execveat;
}
#endif

#ifndef kt_arch_is_64bit
static inline bool kt_arch_is_64bit(const struct pt_regs *regs)
{
	return !is_compat_task();
}
#endif

#ifndef kt_arch_thread_pointer
static inline bool kt_arch_thread_pointer(unsigned long *where)
{
	return false;
}
#endif

#ifndef kt_arch_frame
struct kt_arch_frame {
	unsigned long next;
	unsigned long caller;
};
#endif

#ifndef kt_arch_code_address
static inline unsigned long kt_arch_code_address(unsigned long at)
{
	return at;
}
#endif

#endif
