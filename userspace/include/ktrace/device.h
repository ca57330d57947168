/* SPDX-License-Identifier: LGPL-2.1 */
/* device.h - tell whether the kernel module is loaded and what the caller may do with it */
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
 * struct ktrace_device - the module's answer
 * @abi:	version of the module's interface; these headers are for KTRACE_ABI_VERSION
 * @sessions:	sessions in the module's memory, of all users
 * @kernel_error: 0, or why kernel events cannot be recorded: -EPERM, -EACCES: missing rights
 */
struct ktrace_device {
	__u32 abi;
	__u32 sessions;
	int kernel_error;
};

/**
 * ktrace_device_look - query the module with a minimal session, which is removed at once
 * @device:	filled
 *
 * Return: 0, even if @kernel_error is set or @abi differs; -errno if the device cannot be opened
 * (-ENOENT, -EACCES, ...); -ENOTTY if it does not belong to the module.
 */
int ktrace_device_look(struct ktrace_device *device);

/**
 * ktrace_device_freed - count the sessions of dead recorders that the module freed unsaved
 *
 * Return: sessions of all users freed since the module was loaded; 0 without the module.
 */
__u32 ktrace_device_freed(void);

/**
 * ktrace_device_events - ask the module which kernel events it can record
 * @see:	called for each ktrace_kernel_event(), in order; error: 0, or why the module cannot
 *		record it: -EOPNOTSUPP this kernel cannot produce it, -EINVAL the module does not
 *		know it
 * @arg:	for @see
 *
 * Return: 0; -errno as ktrace_device_look() or its kernel_error, without a call of @see.
 */
int ktrace_device_events(void (*see)(void *arg, const struct ktrace_kernel_event *event,
				     int error), void *arg);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
