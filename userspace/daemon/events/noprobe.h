/* SPDX-License-Identifier: GPL-2.0 */
/* noprobe.h - why the kernel allows no probe on a function */
#ifndef KTRACED_EVENTS_NOPROBE_H
#define KTRACED_EVENTS_NOPROBE_H

#include <stddef.h>

/**
 * noprobe_why - find out why the kernel has refused a probe
 * @probe:	what it was to be on: "[MODULE:]FUNCTION[+OFFSET][ ARGUMENT...]"
 * @error:	what the kernel has returned, -errno
 * @reason:	out, @size bytes: for people
 */
void noprobe_why(const char *probe, int error, char *reason, size_t size);

#endif
