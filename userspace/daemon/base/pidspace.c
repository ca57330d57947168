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

#include <sys/stat.h>

/* Inode of the first PID namespace, the same in all kernels */
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

/* Process 1 of a /proc is in the namespace that this /proc shows. */
bool pidspace_is_in_proc(void)
{
	return pidspace_is_kernels() || is_first("/proc/1/ns/pid");
}
