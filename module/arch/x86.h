/* SPDX-License-Identifier: GPL-2.0 */
/* x86.h - arch.h for x86 */
#ifndef KT_ARCH_X86_H
#define KT_ARCH_X86_H

#include <linux/compat.h>
#include <linux/sched.h>
#include <asm/local64.h>
#include <asm/trap_pf.h>
#include <uapi/linux/ktrace_events.h>

#ifdef CONFIG_X86_TSC
#include <asm/cpufeature.h>
#include <asm/tsc.h>

static inline bool kt_arch_has_counter(void)
{
	return boot_cpu_has(X86_FEATURE_TSC);
}

#define kt_arch_has_counter kt_arch_has_counter

static inline bool kt_arch_counter_is_stable(void)
{
	return kt_arch_has_counter() && !check_tsc_unstable();
}

static inline u32 kt_arch_counter_khz(void)
{
	return tsc_khz;
}

static __always_inline u64 kt_arch_counter(void)
{
	return get_cycles();
}
#endif

/* One instruction */
static __always_inline void kt_arch_inc_local(u64 *p)
{
	local64_inc((local64_t *)p);
}

#define kt_arch_inc_local kt_arch_inc_local

#ifdef CONFIG_X86_64
#include <asm/fsgsbase.h>
#include <asm/unistd.h>

static inline u32 kt_arch_syscall_abi(int nr)
{
#ifdef CONFIG_IA32_EMULATION
	if (in_ia32_syscall())
		return KTRACE_SYSCALL_I386;
#endif
#ifdef CONFIG_X86_X32_ABI
	/* -1 has all bits set, but is no x32 call. */
	if (nr > 0 && nr & __X32_SYSCALL_BIT)
		return KTRACE_SYSCALL_X32;
#endif
	return KTRACE_SYSCALL_NATIVE;
}

#define kt_arch_syscall_abi kt_arch_syscall_abi

static inline bool kt_arch_is_exec(int nr)
{
#ifdef CONFIG_IA32_EMULATION
	if (in_ia32_syscall())
		return nr == __NR_ia32_execve || nr == __NR_ia32_execveat;
#endif
#ifdef CONFIG_X86_X32_ABI
	if (nr & __X32_SYSCALL_BIT)
		return nr == (__X32_SYSCALL_BIT | __NR_x32_execve) ||
		       nr == (__X32_SYSCALL_BIT | __NR_x32_execveat);
#endif
	return nr == __NR_execve || nr == __NR_execveat;
}

#define kt_arch_is_exec kt_arch_is_exec

#ifdef CONFIG_X86_X32_ABI
static inline long kt_arch_plain_nr(long nr)
{
	return nr > 0 ? nr & ~(long)__X32_SYSCALL_BIT : nr;
}

#define kt_arch_plain_nr kt_arch_plain_nr
#endif

static inline bool kt_arch_is_64bit(const struct pt_regs *regs)
{
	return regs->cs != __USER32_CS;
}

#define kt_arch_is_64bit kt_arch_is_64bit

static inline bool kt_arch_thread_pointer(unsigned long *where)
{
	*where = x86_fsbase_read_cpu();
	return !test_thread_flag(TIF_ADDR32);
}

#define kt_arch_thread_pointer kt_arch_thread_pointer
#endif

#define KT_ARCH_HAS_FAULTS

static inline u32 kt_arch_fault_access(unsigned long error)
{
	return error & X86_PF_INSTR ? KTRACE_FAULT_EXEC :
	       error & X86_PF_WRITE ? KTRACE_FAULT_WRITE : KTRACE_FAULT_READ;
}

static inline bool kt_arch_fault_is_protection(unsigned long error)
{
	return error & X86_PF_PROT;
}

#endif
