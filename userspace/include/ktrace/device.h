/* SPDX-License-Identifier: LGPL-2.1 */
/* device.h - whether the module is there, and what the caller may do with it */
#ifndef KTRACE_DEVICE_H
#define KTRACE_DEVICE_H

#include <linux/ktrace.h>
#include <ktrace/session.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define KTRACE_DEVICE "/dev/ktrace"

/**
 * struct ktrace_device - what the device says
 * @abi:	version of the module's interface; these headers are for KTRACE_ABI_VERSION
 * @sessions:	that the module has in memory, of all users
 * @kernel_error: 0, or why no kernel events may be recorded: -EPERM, -EACCES: missing rights
 */
struct ktrace_device {
	__u32 abi;
	__u32 sessions;
	int kernel_error;
};

/**
 * ktrace_device_look - ask the module, by the least session, which is gone at once
 * @device:	filled
 *
 * Return: 0, also where only @kernel_error is wrong or @abi is another; -errno: the device
 * cannot be opened (-ENOENT, -EACCES, ...), or -ENOTTY: it is not the module's.
 */
int ktrace_device_look(struct ktrace_device *device);

/**
 * ktrace_device_freed - how much was left behind by recorders that died, and saved by nobody
 *
 * Return: sessions of all users that the module has freed since it was loaded; 0 also without it.
 */
__u32 ktrace_device_freed(void);

/**
 * ktrace_device_events - ask the module which kernel events it can record
 * @see:	called for each ktrace_kernel_event(), in their order; error: 0, or why it cannot:
 *		-EOPNOTSUPP this kernel does not have what produces it, -EINVAL the module does
 *		not know it
 * @arg:	for @see
 *
 * Return: 0; -errno as ktrace_device_look() or its kernel_error: nothing was seen.
 */
int ktrace_device_events(void (*see)(void *arg, const struct ktrace_kernel_event *event,
				     int error), void *arg);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
