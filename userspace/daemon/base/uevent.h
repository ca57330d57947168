/* SPDX-License-Identifier: GPL-2.0 */
/* uevent.h - kernel messages about CPUs and modules that come and go */
#ifndef KTRACED_BASE_UEVENT_H
#define KTRACED_BASE_UEVENT_H

/* Longest name of a module, including the NUL */
#define UEVENT_MODULE_MAX 64

/* Starts to listen. Return: a descriptor, or -errno if this kernel sends no such messages. */
int uevent_open(void);

/**
 * uevent_next_cpu - get the next CPU that went online or offline
 * @fd:		of uevent_open(), or < 0
 *
 * Return: its number; -EAGAIN there is none; -ENOBUFS messages were dropped.
 */
int uevent_next_cpu(int fd);

/**
 * uevent_next_module - get the next module that has been loaded
 * @fd:		of uevent_open(), or < 0; not the one used for CPUs
 * @name:	out: its name
 *
 * Return: 0; -EAGAIN there is none; -ENOBUFS messages were dropped.
 */
int uevent_next_module(int fd, char name[UEVENT_MODULE_MAX]);

#endif
