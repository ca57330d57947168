/* SPDX-License-Identifier: GPL-2.0 */
/* x86_64_detector.h - a part of progs/detector.h: hold() and the damage to notice, x86-64 */
#ifndef KTRACE_TESTS_ARCH_X86_64_DETECTOR_H
#define KTRACE_TESTS_ARCH_X86_64_DETECTOR_H

#include <cpuid.h>

#define GENERAL_NR 14		/* not rsp, nor r15, which has the page */
#define FLAGS_MASK 0xcd5
#define FLAGS_WANTED 0x45	/* ZF, PF of a counter that is 0; CF was set */
#define CONTROL_MASK 0xffc0ull	/* MXCSR but for the exceptions seen */
#define CONTROL_NR 5
static const uint64_t controls[CONTROL_NR] = { 0x1f80, 0x9fc0, 0x3f80, 0x5f80, 0x7f80 };

#define TO_16(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) \
	m(15)
#define TO_32(m) TO_16(m) m(16) m(17) m(18) m(19) m(20) m(21) m(22) m(23) m(24) m(25) m(26) m(27) \
	m(28) m(29) m(30) m(31)
#define LOAD_X(i) "movdqu 512+64*" #i "(%r15), %xmm" #i "\n\t"
#define SAVE_X(i) "movdqu %xmm" #i ", 512+64*" #i "(%r15)\n\t"
#define LOAD_Y(i) "vmovdqu 512+64*" #i "(%r15), %ymm" #i "\n\t"
#define SAVE_Y(i) "vmovdqu %ymm" #i ", 512+64*" #i "(%r15)\n\t"
#define LOAD_Z(i) "vmovdqu64 512+64*" #i "(%r15), %zmm" #i "\n\t"
#define SAVE_Z(i) "vmovdqu64 %zmm" #i ", 512+64*" #i "(%r15)\n\t"

#define HOLD(name, load, save) \
__asm__(".text\n.globl " name ", " name "_end\n" name ":\n\t" \
	"push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\t" \
	"mov %rdi, %r15\n\tpush %rsi\n\t" \
	"ldmxcsr 264(%r15)\n\t" \
	load \
	"mov 272(%r15), %rax\n\tmov %rax, held_spins(%rip)\n\t" \
	"mov 0(%r15), %rax\n\tmov 8(%r15), %rbx\n\tmov 16(%r15), %rcx\n\tmov 24(%r15), %rdx\n\t" \
	"mov 32(%r15), %rsi\n\tmov 40(%r15), %rdi\n\tmov 48(%r15), %rbp\n\tmov 56(%r15), %r8\n\t" \
	"mov 64(%r15), %r9\n\tmov 72(%r15), %r10\n\tmov 80(%r15), %r11\n\tmov 88(%r15), %r12\n\t" \
	"mov 96(%r15), %r13\n\tmov 104(%r15), %r14\n\tmov held_page(%rip), %r15\n\tstc\n" \
	"1:\tpushq (%r15)\n\tlea 8(%rsp), %rsp\n\tdecq held_spins(%rip)\n\tjnz 1b\n" \
	name "_end:\n\t" \
	"mov (%rsp), %r15\n\t" \
	"mov %rax, 0(%r15)\n\tmov %rbx, 8(%r15)\n\tmov %rcx, 16(%r15)\n\tmov %rdx, 24(%r15)\n\t" \
	"mov %rsi, 32(%r15)\n\tmov %rdi, 40(%r15)\n\tmov %rbp, 48(%r15)\n\tmov %r8, 56(%r15)\n\t" \
	"mov %r9, 64(%r15)\n\tmov %r10, 72(%r15)\n\tmov %r11, 80(%r15)\n\tmov %r12, 88(%r15)\n\t" \
	"mov %r13, 96(%r15)\n\tmov %r14, 104(%r15)\n\t" \
	"pushf\n\tpop %rax\n\tmov %rax, 256(%r15)\n\tstmxcsr 264(%r15)\n\t" \
	save \
	"pop %rsi\n\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n\tret\n")
HOLD("hold_x", TO_16(LOAD_X), TO_16(SAVE_X));
HOLD("hold_y", TO_16(LOAD_Y), TO_16(SAVE_Y) "vzeroupper\n\t");
HOLD("hold_z", TO_32(LOAD_Z), TO_32(SAVE_Z) "vzeroupper\n\t");

void hold_x(struct registers *in, struct registers *out);
void hold_y(struct registers *in, struct registers *out);
void hold_z(struct registers *in, struct registers *out);
extern const char hold_x_end[], hold_y_end[], hold_z_end[];

static void (*hold)(struct registers *in, struct registers *out) = hold_x;
static const char *hold_end = hold_x_end;
static unsigned int vector_nr = 16, vector_size = 16;

static void choose_registers(void)
{
	if (__builtin_cpu_supports("avx512f")) {
		hold = hold_z;
		hold_end = hold_z_end;
		vector_nr = 32;
		vector_size = 64;
	} else if (__builtin_cpu_supports("avx")) {
		hold = hold_y;
		hold_end = hold_y_end;
		vector_size = 32;
	}
}

/* Where the kernel keeps the upper half of a YMM register: part 2 of the XSAVE area. */
static uint8_t *upper_half(ucontext_t *uc, unsigned int nr)
{
	unsigned int size, offset, c, d;

	__cpuid_count(0xd, 2, size, offset, c, d);
	(void)size;
	(void)c;
	(void)d;
	return (uint8_t *)uc->uc_mcontext.fpregs + offset + 16 * nr;
}

static uintptr_t interrupted_at(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

static void damage_general(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_R12] ^= 1;
}

static void damage_flags(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_EFL] ^= 1;
}

static void damage_control(ucontext_t *uc)
{
	uc->uc_mcontext.fpregs->mxcsr ^= 0x2000;
}

static void damage_vector(ucontext_t *uc)
{
	if (vector_size > 16)
		*upper_half(uc, 5) ^= 1;
	else
		uc->uc_mcontext.fpregs->_xmm[5].element[1] ^= 1;
}

#endif
