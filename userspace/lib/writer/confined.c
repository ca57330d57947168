// SPDX-License-Identifier: LGPL-2.1
/*
 * confined.c - notice that the program takes system calls from itself
 *
 * A filter of seccomp(2) that lists the calls a program makes does not list those that recording
 * makes, and may kill the program for one. So once the process may have a filter, the library does
 * without all calls that it can do without: is_confined(). The list of the others is in
 * libktrace(3).
 *
 * The library sees it through its own prctl(): a filter is set by that function, or needs
 * PR_SET_NO_NEW_PRIVS, or CAP_SYS_ADMIN, before. A filter that was there when the process attached
 * has let all these calls pass once.
 *
 * In the strict mode, and after PR_SET_TSC, the kernel also kills a thread that reads the clock.
 * Such a thread records nothing: its CPU is KTRACE_CPU_MUTE, which sends each event through the
 * library, and the library counts it as lost.
 *
 * The same function tells of threads that name themselves: rename_self().
 */
#include "confined.h"

#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/seccomp.h>

#define KTRACE_LIBRARY
#include <ktrace/channel.h>

#include "rename.h"
#include "ring/port.h"
#include "thread.h"

static bool has_filter;

/** is_confined - true once this process may have a filter that was not there at its start */
bool is_confined(void)
{
	return kt_load(&has_filter);
}

KTRACE_API bool ktrace_channel_is_confined(void)
{
	return is_confined();
}

/* True if the thread may not read the clock once the call has been made. */
static bool takes_clock(int op, unsigned long arg)
{
	return (op == PR_SET_SECCOMP && arg == SECCOMP_MODE_STRICT) ||
	       (op == PR_SET_TSC && arg == PR_TSC_SIGSEGV);
}

/**
 * prctl - the C library's, and noticed here
 * @op:	operation
 * @...:	its arguments
 *
 * Not by way of the C library: in the strict mode nothing may be looked up between the call and
 * its return.
 */
KTRACE_API int prctl(int op, ...)
{
	unsigned long arg[4];
	long result;
	va_list list;

	va_start(list, op);
	for (int i = 0; i < 4; i++)
		arg[i] = va_arg(list, unsigned long);
	va_end(list);
	if (op == PR_SET_SECCOMP || op == PR_SET_NO_NEW_PRIVS)
		kt_store(&has_filter, true);
	if (takes_clock(op, arg[0]))
		thread_mute(true);
	result = syscall(SYS_prctl, (long)op, arg[0], arg[1], arg[2], arg[3]);
	if (takes_clock(op, arg[0]) ? result : op == PR_SET_TSC && !result)
		thread_mute(false);
	if (op == PR_SET_NAME && !result)
		rename_self((const char *)arg[0]);
	return (int)result;
}
