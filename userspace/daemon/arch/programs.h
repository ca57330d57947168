/* SPDX-License-Identifier: GPL-2.0 */
/*
 * programs.h - what the daemon has to know of the processor: the programs that its machine runs
 *
 *   ARCH_MACHINE		EM_* of 64-bit programs
 *   ARCH_NARROW_MACHINE	EM_* of 32-bit programs, EM_NONE: it runs none
 *   ARCH_LINKER		dynamic linker of this process's kind of program
 *   ARCH_NARROW_LINKER		that of 32-bit programs
 *
 * This is the only place that chooses. userspace/lib/arch/ has what libraries need.
 */
#ifndef DAEMON_ARCH_PROGRAMS_H
#define DAEMON_ARCH_PROGRAMS_H

#include <elf.h>

#if defined(__x86_64__)
#define ARCH_MACHINE EM_X86_64
#define ARCH_NARROW_MACHINE EM_386
#define ARCH_LINKER "/lib64/ld-linux-x86-64.so.2"
#define ARCH_NARROW_LINKER "/lib/ld-linux.so.2"
#elif defined(__aarch64__)
#define ARCH_MACHINE EM_AARCH64
#define ARCH_NARROW_MACHINE EM_ARM
#define ARCH_LINKER "/lib/ld-linux-aarch64.so.1"
#define ARCH_NARROW_LINKER "/lib/ld-linux-armhf.so.3"
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH_MACHINE EM_RISCV
#define ARCH_NARROW_MACHINE EM_NONE
#define ARCH_LINKER "/lib/ld-linux-riscv64-lp64d.so.1"
#define ARCH_NARROW_LINKER ""
#else
#error "programs of another machine"
#endif

#endif
