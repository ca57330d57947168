/* SPDX-License-Identifier: LGPL-2.1 */
/* unused_registries.h - what programs with <trace.h> have left behind in shared memory */
#ifndef KTRACE_BASE_UNUSED_REGISTRIES_H
#define KTRACE_BASE_UNUSED_REGISTRIES_H

#include <linux/types.h>
#include <stdbool.h>

/**
 * struct unused_registries - those that no process uses
 * @nr:		how many
 * @bytes:	of all of them
 */
struct unused_registries {
	unsigned int nr;
	__u64 bytes;
};

/*
 * Registries of this user; @all: as root, those of other users, too. They can be removed at once.
 */
struct unused_registries ktrace_unused_registries(bool all, bool is_removed);

#endif
