// SPDX-License-Identifier: GPL-2.0
/*
 * tids.c - the ids of threads that exist only in a program that steps
 *
 * The kernel does not know them, so the linker has every system call of the library come here: the
 * thread that runs is the one whose words are in use.
 */
#include <sys/syscall.h>
#include <ktrace/writer.h>

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, long a, long b, long c, long d, long e, long f);

long __wrap_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	if (nr == SYS_gettid)
		return (long)(ktrace_thread.tid_flags >> 32);
	return __real_syscall(nr, a, b, c, d, e, f);
}
