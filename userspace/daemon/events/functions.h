/* SPDX-License-Identifier: GPL-2.0 */
/* functions.h - functions of the kernel that a pattern means, and that can be probed */
#ifndef KTRACED_EVENTS_FUNCTIONS_H
#define KTRACED_EVENTS_FUNCTIONS_H

#include <stddef.h>

/* More functions than these are not probed by one entry: each costs time, and a number. */
#define FUNCTIONS_MAX 512u

/**
 * struct functions - those of one pattern
 * @names:	ascending, each as kprobe_events has it
 * @nr:		how many
 * @barred:	so many more there are that cannot be probed
 * @example:	one of those
 */
struct functions {
	char **names;
	size_t nr;
	size_t barred;
	char example[128];
};

/**
 * functions_find - find what a pattern means
 * @pattern:	"vfs_*", "MODULE:ext4_*", as in glob(7); without a module, of any
 * @f:		out, to be freed with functions_free()
 *
 * What can be probed is what the kernel's function tracer can reach, without what the kernel
 * bars from probes, and without names that several functions have. If that tracer is not there,
 * all functions are taken.
 *
 * Return: 0 or -errno.
 */
int functions_find(const char *pattern, struct functions *f);

void functions_free(struct functions *f);

#endif
