/* SPDX-License-Identifier: GPL-2.0 */
/* room.h - limits the space that a recording takes: --max-size, --min-free */
#ifndef KTRACED_OUTPUT_ROOM_H
#define KTRACED_OUTPUT_ROOM_H

#include "capture_file.h"

/*
 * Checks that there is room for a new file; then lifts the limits for its beginning. Return: 0, or
 * -errno after reporting why not.
 */
int room_begin(__u64 min_free, const char *path, struct ktrace_tracefile *file);
/* Applies the recording's limits to the current file from now on. */
void room_limit(struct capture *c);
/*
 * Called before about @size bytes are written: removes older parts, if --keep permits that, until
 * there is room. Return: 0, -EFBIG, -ENOSPC.
 */
int room_make(struct capture *c, __u64 size);
/* Returns the reason of a failed write: a limit, or strerror(). */
const char *room_error(const struct capture *c, int error);

#endif
