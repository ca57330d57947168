/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch.h - what programs of tests and benchmarks need from the processor
 *
 *   ARCH_HAS_TICKS		1 if arch_ticks() is KTRACE_CLOCK_TSC, else it is CLOCK_MONOTONIC
 *   arch_ticks()		reads it
 *   arch_syscall(nr, a, b, c)	a system call in the function itself, which so has a frame
 *   arch_ioctl32(fd, request, arg)  an ioctl of the kernel's table for 32-bit programs; -1: none
 *   ARCH_MAP_LOW		flag of mmap(2): below 4 GiB, 0: cannot be asked for
 *   ARCH_NOP			an instruction that does nothing
 *   ARCH_STACK_MORE		bytes of stack that an event may take above 1 KiB
 *   ARCH_OLD_COND		version of glibc's first condition variables, if there are others
 *   arch_reset_control()	lets the unit for floating point be as a program finds it
 *   ARCH_DETECTOR_H		a part of progs/detector.h; must be there
 *   ARCH_ADD_HERE(...)		a restartable sequence, see detector.c; not defined: there is none
 *
 * The file of a processor has those that are not generic.
 */
#ifndef KTRACE_TESTS_ARCH_H
#define KTRACE_TESTS_ARCH_H

#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#if defined(__x86_64__) && defined(__LP64__)
#include "x86_64.h"
#elif defined(__i386__)
#include "i386.h"
#elif defined(__aarch64__)
#include "arm64.h"
#endif

#ifndef ARCH_HAS_TICKS
#define ARCH_HAS_TICKS 0

static inline uint64_t arch_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

#ifndef arch_syscall
#define arch_syscall(nr, a, b, c) syscall(nr, a, b, c)
#endif

#ifndef arch_ioctl32
static inline long arch_ioctl32(int fd, unsigned long request, const void *arg)
{
	(void)fd;
	(void)request;
	(void)arg;
	return -1;
}
#endif

#ifndef ARCH_MAP_LOW
#define ARCH_MAP_LOW 0
#endif

#ifndef ARCH_STACK_MORE
#define ARCH_STACK_MORE 0
#endif

#ifndef ARCH_NOP
#define ARCH_NOP "nop"
#endif

#ifndef arch_reset_control
static inline void arch_reset_control(void)
{
}
#endif

#endif
