/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arm64.h - stepping by breakpoints
 *
 * A program cannot set the processor's step bit for itself, and qemu-user has no ptrace(2). So a
 * breakpoint takes the place of the instruction that comes next, which the handler finds from the
 * present one and the registers. A pair of exclusive instructions would never succeed with a
 * signal in it; with LSE, the library's atomic operations are single instructions.
 */
#ifndef STEP_ARCH_ARM64_H
#define STEP_ARCH_ARM64_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define ARCH_SIGNATURE 0xd428bc00u
#define ARCH_BREAKPOINT 0xd4200000u
#define ARCH_PAGES_MAX 64
#define ARCH_HAS_LSE (1ul << 8)		/* HWCAP_ATOMICS */

/* The instruction that the breakpoint replaces, and where the stepped call returns to */
static struct {
	uint32_t *at;
	uint32_t instruction;
	uint64_t begin, end;
	uint64_t writable[ARCH_PAGES_MAX];
	unsigned int writable_nr;
} arch_step;

static inline uint64_t arch_pc(const ucontext_t *uc)
{
	return uc->uc_mcontext.pc;
}

static inline void arch_set_pc(ucontext_t *uc, uint64_t pc)
{
	uc->uc_mcontext.pc = pc;
}

static inline bool arch_is_within(const ucontext_t *uc)
{
	(void)uc;
	return false;
}

/* Code of one more page can be changed. */
static inline void arch_unlock(uint64_t page, uint64_t size)
{
	unsigned int i;

	for (i = 0; i < arch_step.writable_nr; i++)
		if (arch_step.writable[i] == page)
			return;
	if (mprotect((void *)page, size, PROT_READ | PROT_WRITE | PROT_EXEC))
		_exit(2);
	if (arch_step.writable_nr < ARCH_PAGES_MAX)
		arch_step.writable[arch_step.writable_nr++] = page;
}

static inline void arch_put(uint32_t *at, uint32_t instruction)
{
	*at = instruction;
	__builtin___clear_cache((char *)at, (char *)(at + 1));
}

static inline void arch_break_at(uint64_t pc)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	arch_unlock(pc & -size, size);
	arch_step.at = (uint32_t *)pc;
	arch_step.instruction = *arch_step.at;
	arch_put(arch_step.at, ARCH_BREAKPOINT);
}

/* The @nr bits from bit @from, as a signed number of instructions, in bytes */
static inline int64_t arch_distance(uint32_t instruction, unsigned int from, unsigned int nr)
{
	return (int64_t)((uint64_t)instruction << (64 - from - nr)) >> (64 - nr) << 2;
}

static inline uint64_t arch_register(const ucontext_t *uc, uint32_t nr)
{
	return nr == 31 ? 0 : uc->uc_mcontext.regs[nr];
}

/* Condition @code of b.cond: pairs of which the second is the opposite, but for "always" */
static inline bool arch_condition(const ucontext_t *uc, uint32_t code)
{
	const uint64_t flags = uc->uc_mcontext.pstate;
	const bool n = flags >> 31 & 1, z = flags >> 30 & 1;
	const bool c = flags >> 29 & 1, v = flags >> 28 & 1;
	const bool is[] = { z, c, n, v, c && !z, n == v, n == v && !z, true };

	return is[code >> 1 & 7] != ((code & 1) && code != 15);
}

static inline bool arch_takes_branch(const ucontext_t *uc, uint32_t in)
{
	const uint64_t value = arch_register(uc, in & 31);
	const bool is_opposite = in >> 24 & 1;
	const unsigned int bit = (in >> 31) << 5 | (in >> 19 & 31);

	if ((in & 0xff000000) == 0x54000000)
		return arch_condition(uc, in & 15);
	if ((in & 0x7e000000) == 0x34000000)
		return !(in >> 31 ? value : (uint32_t)value) != is_opposite;
	return !(value >> bit & 1) != is_opposite;
}

/* Where the program goes on after the instruction that it is at. */
static inline uint64_t arch_next(const ucontext_t *uc)
{
	const uint64_t pc = arch_pc(uc);
	uint32_t in;

	memcpy(&in, (const void *)pc, sizeof(in));
	if ((in & 0x7c000000) == 0x14000000)		/* b, bl */
		return pc + (uint64_t)arch_distance(in, 0, 26);
	if ((in & 0xfe000000) == 0xd6000000)		/* br, blr, ret */
		return arch_register(uc, in >> 5 & 31);
	if ((in & 0xff000000) != 0x54000000 && (in & 0x7c000000) != 0x34000000)
		return pc + 4;
	if (!arch_takes_branch(uc, in))
		return pc + 4;
	return pc + (uint64_t)((in & 0x7e000000) == 0x36000000 ? arch_distance(in, 5, 14) :
			       arch_distance(in, 5, 19));
}

static inline void arch_trapped(void)
{
	arch_put(arch_step.at, arch_step.instruction);
}

static inline void arch_go_on(ucontext_t *uc, bool steps)
{
	uint64_t next;

	if (!steps)
		return;
	if (arch_pc(uc) == arch_step.begin)
		arch_step.end = uc->uc_mcontext.regs[30];
	next = arch_next(uc);
	if (next != arch_step.end)
		arch_break_at(next);
}

static inline void arch_step_through(void (*call)(void))
{
	if (!(getauxval(AT_HWCAP) & ARCH_HAS_LSE)) {
		printf("not ok: this processor has no LSE\n");
		_exit(2);
	}
	arch_step.begin = (uint64_t)(uintptr_t)call;
	arch_break_at(arch_step.begin);
	call();
}

#endif
