// SPDX-License-Identifier: GPL-2.0
/*
 * pidspace.c - whether process ids mean the same here as in the kernel's events
 *
 * Kernel events have the ids of the first PID namespace. In another one the same ids belong to
 * other processes, in system calls as in a /proc that was mounted there: what /proc says of a
 * process must not be taken for what the kernel calls so. /proc can also be the first namespace's
 * while ktraced is in another one.
 */
#include "pidspace.h"

#include <sys/stat.h>

/* Inode of the first PID namespace, in all kernels */
#define FIRST 0xEFFFFFFCu

static __u64 inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (__u64)st.st_ino;
}

static bool is_first(const char *path)
{
	return inode_of(path) == FIRST;
}

__u64 pidspace_own(void)
{
	return inode_of("/proc/self/ns/pid");
}

bool pidspace_is_kernels(void)
{
	return is_first("/proc/self/ns/pid");
}

/* Process 1 of a /proc is in the namespace that the /proc is of. */
bool pidspace_is_in_proc(void)
{
	return pidspace_is_kernels() || is_first("/proc/1/ns/pid");
}
