/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_exec.h - KTRACE_IOC_EXEC: why descendants of a process are not recorded
 *
 * A program is recorded if the library is loaded and attaches. LD_PRELOAD loads the library, which
 * finds the session in KTRACE_SESSION. The kernel checks both when the program is executed, as a
 * moment later the program may have ended.
 */
#ifndef _UAPI_LINUX_KTRACE_EXEC_H
#define _UAPI_LINUX_KTRACE_EXEC_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Seen when a program was executed */
#define KTRACE_EXEC_USER (1u << 0)	/* programs of its user may not attach */
#define KTRACE_EXEC_SECURE (1u << 1)	/* set-user-ID or the like: LD_PRELOAD is ignored */
#define KTRACE_EXEC_EMPTY (1u << 2)	/* no environment */
#define KTRACE_EXEC_NO_SESSION (1u << 3) /* no KTRACE_SESSION in it */
#define KTRACE_EXEC_NO_LIBRARY (1u << 4) /* no libktrace-pthread in LD_PRELOAD */
#define KTRACE_EXEC_UNREAD (1u << 5)	/* it was too long: NO_SESSION, NO_LIBRARY are unknown */
#define KTRACE_EXEC_ROOT (1u << 6)	/* its root folder differs from the watching process's */
#define KTRACE_EXEC_MOUNTS (1u << 7)	/* its mount namespace differs */
#define KTRACE_EXEC_STATIC (1u << 8)	/* no dynamic linker */
#define KTRACE_EXEC_CUT (1u << 9)	/* @name is truncated */
#define KTRACE_EXEC_ATTACHED (1u << 10)	/* not executed: it has mapped rings for writing */
#define KTRACE_EXEC_NONE (1u << 31)	/* no further program: only @lost is valid */

#define KTRACE_EXEC_NAME_LEN 128

/**
 * struct ktrace_exec - KTRACE_IOC_EXEC: a descendant that has executed a program or attached
 * @size:	sizeof(struct ktrace_exec); in
 * @flags:	KTRACE_EXEC_*; out
 * @pid:	its process id in the PID namespace of the watching process, 0 if it has none; out
 * @reserved:	0
 * @lost:	descendants missed since the first request, because the caller did not call for a
 *		while, or there were more than 1024 processes in between; out
 * @limit:	RLIMIT_AS, bytes; ~0 for none, and with USER or SECURE; out
 * @used:	bytes of its address space; 0 with USER or SECURE; out
 * @comm:	name of its thread; out
 * @name:	file name passed to execve(2); out
 */
struct ktrace_exec {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 reserved;
	__u64 lost;
	__u64 limit;
	__u64 used;
	char comm[16];
	char name[KTRACE_EXEC_NAME_LEN];
};

/*
 * Owner, with a user channel. The first request starts watching the descendants of the calling
 * process. It needs no kernel channel, because ps(1) shows the same about programs.
 *
 * EINVAL reserved is not 0, or no user channel; EBUSY the session was adopted; EOPNOTSUPP this
 * kernel does not support it; EDQUOT as CHANNEL; ENOMEM
 */
#define KTRACE_IOC_EXEC _IOWR('k', 0x53, struct ktrace_exec)

#endif
