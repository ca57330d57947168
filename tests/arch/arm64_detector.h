/* SPDX-License-Identifier: GPL-2.0 */
/* arm64_detector.h - a part of progs/detector.h: hold(), and damage that it has to notice, arm64 */
#ifndef KTRACE_TESTS_ARCH_ARM64_DETECTOR_H
#define KTRACE_TESTS_ARCH_ARM64_DETECTOR_H

#define GENERAL_NR 28		/* x0 to x27: x28 has the page, x29 the frame, x30 the caller */
#define FLAGS_MASK 0xf0000000
#define FLAGS_WANTED 0x60000000	/* Z, C of a counter that is 0 */
#define CONTROL_MASK 0xc00000ull	/* FPCR: rounding */
#define CONTROL_NR 4
static const uint64_t controls[CONTROL_NR] = { 0, 0x400000, 0x800000, 0xc00000 };

#define PAIRS(op, base) \
	#op " x2, x3, [" base ", 16]\n\t" #op " x4, x5, [" base ", 32]\n\t" \
	#op " x6, x7, [" base ", 48]\n\t" #op " x8, x9, [" base ", 64]\n\t" \
	#op " x10, x11, [" base ", 80]\n\t" #op " x12, x13, [" base ", 96]\n\t" \
	#op " x14, x15, [" base ", 112]\n\t" #op " x16, x17, [" base ", 128]\n\t" \
	#op " x18, x19, [" base ", 144]\n\t" #op " x20, x21, [" base ", 160]\n\t" \
	#op " x22, x23, [" base ", 176]\n\t" #op " x24, x25, [" base ", 192]\n\t" \
	#op " x26, x27, [" base ", 208]\n\t"
#define TO_32(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) \
	m(15) m(16) m(17) m(18) m(19) m(20) m(21) m(22) m(23) m(24) m(25) m(26) m(27) m(28) m(29) \
	m(30) m(31)
#define LOAD_V(i) "ldr q" #i ", [x28, 512+64*" #i "]\n\t"
#define SAVE_V(i) "str q" #i ", [x28, 512+64*" #i "]\n\t"

/* The number of rounds is in x29, the page in x28, in and out on the stack. */
__asm__(".text\n.globl hold_v, hold_v_end\nhold_v:\n\t"
	"stp x29, x30, [sp, -272]!\n\t"
	"stp x18, x19, [sp, 16]\n\tstp x20, x21, [sp, 32]\n\tstp x22, x23, [sp, 48]\n\t"
	"stp x24, x25, [sp, 64]\n\tstp x26, x27, [sp, 80]\n\tstr x28, [sp, 96]\n\t"
	"stp d8, d9, [sp, 112]\n\tstp d10, d11, [sp, 128]\n\tstp d12, d13, [sp, 144]\n\t"
	"stp d14, d15, [sp, 160]\n\tstr x1, [sp, 176]\n\tmrs x9, fpcr\n\tstr x9, [sp, 184]\n\t"
	"mov x28, x0\n\tldr x9, [x28, 264]\n\tmsr fpcr, x9\n\t"
	TO_32(LOAD_V)
	"ldr x29, [x28, 272]\n\t"
	PAIRS(ldp, "x28")
	"ldp x0, x1, [x28]\n\tadrp x28, held_page\n\tldr x28, [x28, :lo12:held_page]\n"
	"1:\tldr x30, [x28]\n\tsubs x29, x29, 1\n\tb.ne 1b\n"
	"hold_v_end:\n\t"
	"ldr x28, [sp, 176]\n\tstp x0, x1, [x28]\n\t"
	PAIRS(stp, "x28")
	"mrs x9, nzcv\n\tstr x9, [x28, 256]\n\tmrs x9, fpcr\n\tstr x9, [x28, 264]\n\t"
	TO_32(SAVE_V)
	"ldr x9, [sp, 184]\n\tmsr fpcr, x9\n\t"
	"ldp x18, x19, [sp, 16]\n\tldp x20, x21, [sp, 32]\n\tldp x22, x23, [sp, 48]\n\t"
	"ldp x24, x25, [sp, 64]\n\tldp x26, x27, [sp, 80]\n\tldr x28, [sp, 96]\n\t"
	"ldp d8, d9, [sp, 112]\n\tldp d10, d11, [sp, 128]\n\tldp d12, d13, [sp, 144]\n\t"
	"ldp d14, d15, [sp, 160]\n\tldp x29, x30, [sp], 272\n\tret\n");

void hold_v(struct registers *in, struct registers *out);
extern const char hold_v_end[];

static void (*hold)(struct registers *in, struct registers *out) = hold_v;
static const char *hold_end = hold_v_end;
static unsigned int vector_nr = 32, vector_size = 16;

static void choose_registers(void)
{
}

static uintptr_t interrupted_at(const ucontext_t *uc)
{
	return uc->uc_mcontext.pc;
}

static void damage_general(ucontext_t *uc)
{
	uc->uc_mcontext.regs[12] ^= 1;
}

/* The condition is made anew in each round: only the rounding mode and registers stay. */
static void damage_flags(ucontext_t *uc)
{
	damage_general(uc);
}

static void damage_control(ucontext_t *uc)
{
	damage_general(uc);
}

static void damage_vector(ucontext_t *uc)
{
	struct fpsimd_context *f = (struct fpsimd_context *)uc->uc_mcontext.__reserved;

	f->vregs[5] ^= 1;
}

#endif
