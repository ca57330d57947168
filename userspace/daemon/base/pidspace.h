/* SPDX-License-Identifier: GPL-2.0 */
/* pidspace.h - whether process ids mean the same here as in the kernel's events */
#ifndef KTRACED_BASE_PIDSPACE_H
#define KTRACED_BASE_PIDSPACE_H

#include <linux/types.h>
#include <stdbool.h>

/** pidspace_is_kernels - are the ids that system calls take and return those of kernel events? */
bool pidspace_is_kernels(void);

/** pidspace_is_in_proc - are the ids in /proc those of kernel events? */
bool pidspace_is_in_proc(void);

/** pidspace_own - the inode of the PID namespace that we are in, 0 = not known */
__u64 pidspace_own(void);

#endif
