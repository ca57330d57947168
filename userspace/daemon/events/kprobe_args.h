/* SPDX-License-Identifier: GPL-2.0 */
/* kprobe_args.h - resolves names of arguments for kernels that know only their numbers */
#ifndef KTRACED_EVENTS_KPROBE_ARGS_H
#define KTRACED_EVENTS_KPROBE_ARGS_H

#include <stddef.h>

/**
 * kprobe_args_resolve - replace names of arguments by numbers and types
 * @probe:	"FUNCTION[+OFFSET] [ARGUMENT...]" or "MODULE:FUNCTION...", in the kernel's syntax
 * @out:	the same, with "NAME" as "NAME=$argN:TYPE"; all else unchanged
 * @size:	size of @out
 * @reason:	out: on failure, what is wrong
 * @reason_size: size of @reason
 *
 * Takes names and types from the kernel's BTF. Passes the text unchanged to a kernel that knows
 * names itself.
 *
 * Return: 0 or -errno; on failure *@column is the column in @probe, from 0 on.
 */
int kprobe_args_resolve(const char *probe, char *out, size_t size, char *reason,
			size_t reason_size, size_t *column);

#endif
