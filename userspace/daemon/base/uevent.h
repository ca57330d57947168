/* SPDX-License-Identifier: GPL-2.0 */
/* uevent.h - which CPUs and modules come and go, told by the kernel */
#ifndef KTRACED_BASE_UEVENT_H
#define KTRACED_BASE_UEVENT_H

/* Longest name of a module, the NUL included. */
#define UEVENT_MODULE_MAX 64

/* From now on. Return: descriptor, or -errno: this kernel does not tell. */
int uevent_open(void);

/**
 * uevent_next_cpu - a CPU that has come or gone
 * @fd:		of uevent_open(), or < 0
 *
 * Return: its number; -EAGAIN there is none; -ENOBUFS so many that it is not known which.
 */
int uevent_next_cpu(int fd);

/**
 * uevent_next_module - a module that has been loaded
 * @fd:		of uevent_open(), or < 0; not one that CPUs are asked from
 * @name:	out: its name
 *
 * Return: 0; -EAGAIN there is none; -ENOBUFS so many that it is not known which.
 */
int uevent_next_module(int fd, char name[UEVENT_MODULE_MAX]);

#endif
