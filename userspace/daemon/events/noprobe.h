/* SPDX-License-Identifier: GPL-2.0 */
/* noprobe.h - explains why the kernel allows no probe on a function */
#ifndef KTRACED_EVENTS_NOPROBE_H
#define KTRACED_EVENTS_NOPROBE_H

#include <stddef.h>

/**
 * noprobe_why - find out why the kernel has refused a probe
 * @probe:	the probe: "[MODULE:]FUNCTION[+OFFSET][ ARGUMENT...]"
 * @error:	-errno from the kernel
 * @reason:	out, @size bytes: text for the user
 */
void noprobe_why(const char *probe, int error, char *reason, size_t size);

#endif
