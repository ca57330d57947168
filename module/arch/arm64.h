/* SPDX-License-Identifier: GPL-2.0 */
/* arm64.h - arch.h for arm64 */
#ifndef KT_ARCH_ARM64_H
#define KT_ARCH_ARM64_H

#include <linux/compat.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <asm/arch_timer.h>
#include <asm/sysreg.h>
#include <asm/unistd.h>
#include <uapi/linux/ktrace_events.h>

/* Of 32-bit programs: execve() and execveat() */
#define KT_ARM_EXECVE 11
#define KT_ARM_EXECVEAT 387

static inline bool kt_arch_has_counter(void)
{
	return true;
}

#define kt_arch_has_counter kt_arch_has_counter

/* For each CPU: the kernel forbids programs a counter that cannot be read without care. */
static inline void kt_arch_check_counter(void *is_readable)
{
	if (!(arch_timer_get_cntkctl() & ARCH_TIMER_USR_VCT_ACCESS_EN))
		WRITE_ONCE(*(bool *)is_readable, false);
}

/* The architecture requires that all CPUs have the same count. */
static inline bool kt_arch_counter_is_stable(void)
{
	bool is_readable = true;

	on_each_cpu(kt_arch_check_counter, &is_readable, 1);
	return is_readable;
}

static inline u32 kt_arch_counter_khz(void)
{
	return arch_timer_get_cntfrq() / 1000;
}

/*
 * Not the kernel's get_cycles(): that waits for all earlier instructions and calls a function,
 * which may read the physical counter, unlike programs. Exceptions and their return order the
 * counter, so nested writers have ascending stamps.
 */
static __always_inline u64 kt_arch_counter(void)
{
	return read_sysreg(cntvct_el0);
}

/* Those of the program when it entered the kernel; after exec(), those of the new program */
static inline bool kt_arch_is_64bit(const struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

#define kt_arch_is_64bit kt_arch_is_64bit

static inline u32 kt_arch_syscall_abi(int nr)
{
	return is_compat_task() ? KTRACE_SYSCALL_ARM : KTRACE_SYSCALL_NATIVE;
}

#define kt_arch_syscall_abi kt_arch_syscall_abi

static inline bool kt_arch_is_exec(int nr)
{
	if (compat_user_mode(task_pt_regs(current)))
		return nr == KT_ARM_EXECVE || nr == KT_ARM_EXECVEAT;
	return nr == __NR_execve || nr == __NR_execveat;
}

#define kt_arch_is_exec kt_arch_is_exec

static inline bool kt_arch_thread_pointer(unsigned long *where)
{
	*where = read_sysreg(tpidr_el0);
	return !is_compat_task();
}

#define kt_arch_thread_pointer kt_arch_thread_pointer

/*
 * Removes the signature of pointer authentication: xpaclri, which older processors take for a nop.
 * The kernel's name for it has changed twice.
 */
static __always_inline unsigned long kt_arch_code_address(unsigned long at)
{
	register unsigned long lr asm("x30") = at;

	asm("hint #7" : "+r" (lr));
	return lr;
}

#define kt_arch_code_address kt_arch_code_address

#endif
