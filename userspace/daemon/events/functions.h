/* SPDX-License-Identifier: GPL-2.0 */
/* functions.h - finds the kernel functions that a pattern matches and that can be probed */
#ifndef KTRACED_EVENTS_FUNCTIONS_H
#define KTRACED_EVENTS_FUNCTIONS_H

#include <stddef.h>

/* Limit of functions that one entry probes: each costs time and an event id */
#define FUNCTIONS_MAX 512u

/**
 * struct functions - functions that one pattern matches
 * @names:	ascending, each as written to kprobe_events
 * @nr:		number of @names
 * @barred:	number of further functions that cannot be probed
 * @example:	one of those
 */
struct functions {
	char **names;
	size_t nr;
	size_t barred;
	char example[128];
};

/**
 * functions_find - find the functions that a pattern matches
 * @pattern:	"vfs_*", "MODULE:ext4_*", as in glob(7); without a module, any module
 * @f:		out, to be freed with functions_free()
 *
 * Functions can be probed if the kernel's function tracer reaches them, unless the kernel
 * bars them from probes or several functions have their name. Without that tracer,
 * all functions are taken.
 *
 * Return: 0 or -errno.
 */
int functions_find(const char *pattern, struct functions *f);

void functions_free(struct functions *f);

#endif
