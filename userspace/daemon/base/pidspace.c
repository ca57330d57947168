// SPDX-License-Identifier: GPL-2.0
/*
 * pidspace.c - tells whether process ids mean the same here as in the kernel's events
 *
 * Kernel events carry ids of the first PID namespace. In another namespace the same ids belong to
 * other processes, both in system calls and in a /proc mounted there: data from that /proc must not
 * be taken for the process that a kernel event names. /proc can also belong to the first namespace
 * while ktraced is in another one.
 */
#include "pidspace.h"

#include "base/pid_namespace.h"

__u64 pidspace_own(void)
{
	return pid_namespace();
}

bool pidspace_is_kernels(void)
{
	return pid_namespace() == PID_NAMESPACE_FIRST;
}

/* Process 1 of a /proc is in the namespace that this /proc shows. */
bool pidspace_is_in_proc(void)
{
	return pidspace_is_kernels() || namespace_of("/proc/1/ns/pid") == PID_NAMESPACE_FIRST;
}
