/* SPDX-License-Identifier: LGPL-2.1 */
/* board_key.h - which segment is a user's board, and whether it may be used */
#ifndef KTRACE_BASE_BOARD_KEY_H
#define KTRACE_BASE_BOARD_KEY_H

#include <stdbool.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <linux/ktrace_board.h>

#include "base/fnv.h"
#include "base/pid_namespace.h"

/*
 * Returns the key of the board of user @uid for this process's PID namespace, whose numbers mean
 * nothing in another one; @name: KTRACE_BOARD, NULL = not set.
 */
static inline key_t board_key(__u32 uid, const char *name)
{
	const __u32 version = KTRACE_BOARD_VERSION;
	const __u64 space = pid_namespace();
	__u64 hash = fnv(FNV_BASIS, "ktrace-board", 12);

	hash = fnv(hash, &version, sizeof(version));
	hash = fnv(hash, &uid, sizeof(uid));
	if (space && space != PID_NAMESPACE_FIRST)
		hash = fnv(hash, &space, sizeof(space));
	if (name)
		hash = fnv(hash, name, strlen(name));
	/* Not IPC_PRIVATE, which is 0 */
	return (key_t)((__u32)(hash ^ hash >> 32) | 1);
}

/* True if @uid has made the segment, it is large enough, and no other user may write to it. */
static inline bool board_is_trusted(const struct shmid_ds *ds, __u32 uid)
{
	return ds->shm_perm.cuid == uid && ds->shm_perm.uid == uid &&
	       !(ds->shm_perm.mode & 0022) && ds->shm_segsz >= KTRACE_BOARD_SIZE;
}

#endif
