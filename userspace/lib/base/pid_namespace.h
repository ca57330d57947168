/* SPDX-License-Identifier: LGPL-2.1 */
/* pid_namespace.h - in which PID namespace this process is */
#ifndef KTRACE_BASE_PID_NAMESPACE_H
#define KTRACE_BASE_PID_NAMESPACE_H

#include <sys/stat.h>
#include <linux/types.h>

/* Inode of the first PID namespace, the same in all kernels */
#define PID_NAMESPACE_FIRST 0xeffffffcu

/* Returns the inode of the namespace that a path names; 0 = unknown, as without /proc. */
static inline __u64 namespace_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (__u64)st.st_ino;
}

static inline __u64 pid_namespace(void)
{
	return namespace_of("/proc/self/ns/pid");
}

#endif
