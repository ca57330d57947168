/* SPDX-License-Identifier: GPL-2.0 */
/* x86_64.h - stepping by the processor's trap flag */
#ifndef STEP_ARCH_X86_64_H
#define STEP_ARCH_X86_64_H

#define ARCH_SIGNATURE 0x53053053u
#define TRAP_FLAG 0x100

static inline uint64_t arch_pc(const ucontext_t *uc)
{
	return (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
}

static inline void arch_set_pc(ucontext_t *uc, uint64_t pc)
{
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

/* A "rep" instruction that is neither at its beginning nor at its end. */
static inline bool arch_is_within(const ucontext_t *uc)
{
	static uint64_t last;
	const bool is_same = arch_pc(uc) == last;

	last = arch_pc(uc);
	return is_same && uc->uc_mcontext.gregs[REG_RCX] > 1;
}

static inline void arch_trapped(void)
{
}

static inline void arch_go_on(ucontext_t *uc, bool steps)
{
	if (!steps)
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static inline void arch_step_through(void (*call)(void))
{
	__asm__ __volatile__("leaq -128(%%rsp), %%rsp\n\t"	/* below the red zone */
			     "pushfq\n\t"
			     "orq %0, (%%rsp)\n\t"
			     "popfq\n\t"
			     "leaq 128(%%rsp), %%rsp" : : "i" (TRAP_FLAG) : "memory", "cc");
	call();
	__asm__ __volatile__("leaq -128(%%rsp), %%rsp\n\t"
			     "pushfq\n\t"
			     "andq %0, (%%rsp)\n\t"
			     "popfq\n\t"
			     "leaq 128(%%rsp), %%rsp" : : "i" (~TRAP_FLAG) : "memory", "cc");
}

#endif
