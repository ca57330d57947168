/* SPDX-License-Identifier: GPL-2.0 */
/* hotplug.h - which CPUs come and go, told by the kernel */
#ifndef KTRACED_HOTPLUG_H
#define KTRACED_HOTPLUG_H

/* From now on. Return: descriptor, or -errno: this kernel does not tell. */
int hotplug_open(void);

/**
 * hotplug_next - a CPU that has come or gone
 * @fd:		of hotplug_open(), or < 0
 *
 * Return: its number; -EAGAIN there is none; -ENOBUFS so many that it is not known which.
 */
int hotplug_next(int fd);

#endif
