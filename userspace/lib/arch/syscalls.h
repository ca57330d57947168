/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * syscalls.h - a part of decode/syscall.c: the names of system calls on each kind of machine
 *
 * scripts/gen-syscalls makes the tables.
 */
#ifndef KTRACE_ARCH_SYSCALLS_H
#define KTRACE_ARCH_SYSCALLS_H

#define X32_BIT 0x40000000

/* CALL is in both tables; x32 has its own numbers for calls that differ. */
#define CALL(nr, name) { nr, name },
#define CALL_64 CALL
#define CALL_X32(nr, name)
static const struct ktrace_enumerator x86_64[] = {
#include "syscalls_x86_64.h"
};
#undef CALL
#undef CALL_64
#undef CALL_X32

#define CALL(nr, name) { nr, &"i386:" name[sizeof("i386:") - 1] },
static const struct ktrace_enumerator i386[] = {
#include "syscalls_i386.h"
};
#undef CALL

#define CALL(nr, name) { X32_BIT + nr, &"x32:" name[sizeof("x32:") - 1] },
#define CALL_64(nr, name)
#define CALL_X32 CALL
static const struct ktrace_enumerator x32[] = {
#include "syscalls_x86_64.h"
};
#undef CALL
#undef CALL_64
#undef CALL_X32

#define CALL(nr, name) { nr, name },
static const struct ktrace_enumerator arm64[] = {
#include "syscalls_arm64.h"
};
static const struct ktrace_enumerator riscv64[] = {
#include "syscalls_riscv64.h"
};
#undef CALL

/* A machine of which only the calls of its own ABI are known */
#define ARCH_SYSCALL_HOST(machine, list, text) \
	{ machine, false, { \
		[KTRACE_SYSCALL_NATIVE] = FIELD(list, text), \
		[KTRACE_SYSCALL_I386] = NAMELESS(text), \
		[KTRACE_SYSCALL_X32] = NAMELESS(text), \
		[KTRACE_SYSCALL_ARM] = NAMELESS(text), \
		[KTRACE_SYSCALL_COMPAT] = NAMELESS(text), \
		[KTRACE_SYSCALL_ABI_NR] = NAMELESS(text), \
	} }

/* Rows of hosts[]; one with x32 is a machine whose kernel has calls of x32. */
#define ARCH_SYSCALL_HOSTS \
	{ "x86_64", false, { \
		[KTRACE_SYSCALL_NATIVE] = FIELD(x86_64, plain_label), \
		[KTRACE_SYSCALL_I386] = FIELD(i386, plain_label), \
		[KTRACE_SYSCALL_X32] = NAMELESS(plain_label), \
		[KTRACE_SYSCALL_ARM] = NAMELESS(plain_label), \
		[KTRACE_SYSCALL_COMPAT] = NAMELESS(plain_label), \
		[KTRACE_SYSCALL_ABI_NR] = NAMELESS(plain_label), \
	} }, \
	{ "x86_64", true, { \
		[KTRACE_SYSCALL_NATIVE] = FIELD(x86_64, x32_label), \
		[KTRACE_SYSCALL_I386] = FIELD(i386, x32_label), \
		[KTRACE_SYSCALL_X32] = FIELD(x32, x32_label), \
		[KTRACE_SYSCALL_ARM] = NAMELESS(x32_label), \
		[KTRACE_SYSCALL_COMPAT] = NAMELESS(x32_label), \
		[KTRACE_SYSCALL_ABI_NR] = NAMELESS(x32_label), \
	} }, \
	ARCH_SYSCALL_HOST("i686", i386, i386_label), \
	ARCH_SYSCALL_HOST("aarch64", arm64, arm64_label), \
	ARCH_SYSCALL_HOST("riscv64", riscv64, riscv64_label)

#endif
