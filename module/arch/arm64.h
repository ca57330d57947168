/* SPDX-License-Identifier: GPL-2.0 */
/* arm64.h - arch.h for arm64 */
#ifndef KT_ARCH_ARM64_H
#define KT_ARCH_ARM64_H

#include <linux/compat.h>
#include <asm/sysreg.h>
#include <uapi/linux/ktrace_events.h>

static inline u32 kt_arch_syscall_abi(int nr)
{
	return is_compat_task() ? KTRACE_SYSCALL_ARM : KTRACE_SYSCALL_NATIVE;
}

#define kt_arch_syscall_abi kt_arch_syscall_abi

static inline bool kt_arch_thread_pointer(unsigned long *where)
{
	*where = read_sysreg(tpidr_el0);
	return !is_compat_task();
}

#define kt_arch_thread_pointer kt_arch_thread_pointer

#endif
