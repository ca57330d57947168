/* SPDX-License-Identifier: LGPL-2.1 */
/* unused_boards.h - what programs with <trace.h> have left behind in shared memory */
#ifndef KTRACE_BASE_UNUSED_BOARDS_H
#define KTRACE_BASE_UNUSED_BOARDS_H

#include <linux/types.h>
#include <stdbool.h>

/**
 * struct unused_boards - those that no process uses
 * @nr:		how many
 * @bytes:	of all of them
 */
struct unused_boards {
	unsigned int nr;
	__u64 bytes;
};

/* Boards of this user; @all: as root, those of other users, too. They can be removed at once. */
struct unused_boards ktrace_unused_boards(bool all, bool is_removed);

#endif
