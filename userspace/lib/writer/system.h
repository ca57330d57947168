/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * system.h - system calls that are no cancellation points
 *
 * The C library's open(), close(), nanosleep() and so on are cancellation points. syscall(2) is
 * not; like them it sets errno, which the library's entry points save and restore.
 */
#ifndef KTRACE_WRITER_SYSTEM_H
#define KTRACE_WRITER_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <linux/types.h>

/*
 * For large variables: they follow all others, which then share a page, so that the start of a
 * program touches fewer.
 */
#define SYSTEM_LATE __attribute__((section(".bss.late")))

static inline int system_open(const char *path, int flags)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static inline void system_close(int fd)
{
	syscall(SYS_close, fd);
}

static inline __u32 system_gettid(void)
{
	return (__u32)syscall(SYS_gettid);
}

/* Sleeps, or returns early for a signal. */
static inline void system_sleep_ns(long ns)
{
	long interval[2] = { ns / 1000000000, ns % 1000000000 };

	syscall(SYS_nanosleep, interval, NULL);
}

/* The kernel's signal set of 64 signals. */
struct system_signals {
	__u64 mask;
};

/*
 * Blocks every signal, including the C library's own (cancellation), except those that an
 * instruction raises: blocking these would kill the process.
 */
static inline void system_block_signals(struct system_signals *old)
{
	__u64 all = ~(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1) |
		      1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1));

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old->mask, sizeof(old->mask));
}

static inline void system_restore_signals(const struct system_signals *old)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old->mask, NULL, sizeof(old->mask));
}

#endif
