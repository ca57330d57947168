// SPDX-License-Identifier: LGPL-2.1
/*
 * confined.c - notice that the program restricts its own system calls
 *
 * A seccomp(2) filter that lists the calls a program makes does not list those that recording
 * makes, and may kill the program for one of them. So once the process may have a filter, the
 * library avoids every call that it can avoid: is_confined(). libktrace(3) lists the remaining
 * calls.
 *
 * The library notices this through its own prctl(): a filter is either set by that function, or
 * needs PR_SET_NO_NEW_PRIVS or CAP_SYS_ADMIN before. A filter that existed when the process
 * attached has already let all these calls pass once.
 *
 * In strict mode, and after PR_SET_TSC, the kernel also kills a thread that reads the clock. Such a
 * thread records nothing: its CPU is KTRACE_CPU_MUTE, which sends each event through the library,
 * and the library counts it as lost.
 *
 * prctl() also reports threads that change their own name: rename_self().
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

/* True if the call would forbid the thread to read the clock. */
static bool takes_clock(int op, unsigned long arg)
{
	return (op == PR_SET_SECCOMP && arg == SECCOMP_MODE_STRICT) ||
	       (op == PR_SET_TSC && arg == PR_TSC_SIGSEGV);
}

/**
 * prctl - replaces the C library's function, to notice the call
 * @op:	operation
 * @...:	its arguments
 *
 * Does not call the C library's function: in strict mode the dynamic linker may not look up any
 * symbol between the call and its return.
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
