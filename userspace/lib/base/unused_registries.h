/* SPDX-License-Identifier: LGPL-2.1 */
/* unused_registries.h - registries that programs with <trace.h> left in shared memory */
#ifndef KTRACE_BASE_UNUSED_REGISTRIES_H
#define KTRACE_BASE_UNUSED_REGISTRIES_H

#include <linux/types.h>
#include <stdbool.h>

/**
 * struct unused_registries - registries that no process uses
 * @nr:		how many
 * @bytes:	of all of them
 */
struct unused_registries {
	unsigned int nr;
	__u64 bytes;
};

/*
 * Finds unused registries of this user; @all: as root, those of other users, too. @is_removed:
 * removes them.
 */
struct unused_registries ktrace_unused_registries(bool all, bool is_removed);

#endif
