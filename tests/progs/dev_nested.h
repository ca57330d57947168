/* SPDX-License-Identifier: GPL-2.0 */
/* dev_nested.h - what arguments of ioctls on /dev/ktrace point to, to record and replay it */
#ifndef TESTS_DEV_NESTED_H
#define TESTS_DEV_NESTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/ktrace.h>
#include <linux/ktrace_match.h>

#define NESTED_MAX 2		/* of one request */
#define NESTED_BYTES_MAX 65536ul

/* The u64 at @at is the address of as many units as the member at @count_at says. */
struct nested {
	unsigned int request;
	size_t at, count_at, count_size, unit;
};

static const struct nested nested[] = {
	{ KTRACE_IOC_FILTER, offsetof(struct ktrace_kernel_filter, steps),
	  offsetof(struct ktrace_kernel_filter, step_nr), 2, sizeof(struct ktrace_match_step) },
	{ KTRACE_IOC_FILTER, offsetof(struct ktrace_kernel_filter, texts),
	  offsetof(struct ktrace_kernel_filter, text_size), 4, 1 },
	{ KTRACE_IOC_STACKS, offsetof(struct ktrace_stacks, buf),
	  offsetof(struct ktrace_stacks, bytes), 4, 1 },
};

#define NESTED_NR (sizeof(nested) / sizeof(nested[0]))

/* Bytes behind the pointer that @n describes in @arg. The machine is little-endian. */
static inline size_t nested_bytes(const struct nested *n, const void *arg)
{
	uint32_t count = 0;

	memcpy(&count, (const char *)arg + n->count_at, n->count_size);
	return count > NESTED_BYTES_MAX / n->unit ? NESTED_BYTES_MAX : count * n->unit;
}

#endif
