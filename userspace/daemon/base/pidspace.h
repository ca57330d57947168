/* SPDX-License-Identifier: GPL-2.0 */
/* pidspace.h - tells whether process ids mean the same here as in the kernel's events */
#ifndef KTRACED_BASE_PIDSPACE_H
#define KTRACED_BASE_PIDSPACE_H

#include <linux/types.h>
#include <stdbool.h>

/** pidspace_is_kernels - true if ids in system calls are those of kernel events */
bool pidspace_is_kernels(void);

/** pidspace_is_in_proc - true if ids in /proc are those of kernel events */
bool pidspace_is_in_proc(void);

/** pidspace_own - inode of the PID namespace that ktraced is in, 0 = unknown */
__u64 pidspace_own(void);

#endif
