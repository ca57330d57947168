/* SPDX-License-Identifier: GPL-2.0 */
/* kprobe_args.h - arguments of functions by name, for kernels that know them by number only */
#ifndef KTRACED_EVENTS_KPROBE_ARGS_H
#define KTRACED_EVENTS_KPROBE_ARGS_H

#include <stddef.h>

/**
 * kprobe_args_resolve - put numbers and types in the place of names
 * @probe:	"FUNCTION[+OFFSET] [ARGUMENT...]" or "MODULE:FUNCTION...", as the kernel has it
 * @out:	the same, with "NAME" as "NAME=$argN:TYPE"; all else as it is
 * @size:	its bytes
 * @reason:	out: what cannot be, where something cannot
 * @reason_size: its bytes
 *
 * Names and types are those of the kernel's BTF. A kernel that knows them itself gets the
 * text as it is.
 *
 * Return: 0 or -errno; the column in @probe, from 0 on, is in *@column then.
 */
int kprobe_args_resolve(const char *probe, char *out, size_t size, char *reason,
			size_t reason_size, size_t *column);

#endif
