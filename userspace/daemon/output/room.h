/* SPDX-License-Identifier: GPL-2.0 */
/* room.h - how much of its file system a recording takes: --max-size, --min-free */
#ifndef KTRACED_OUTPUT_ROOM_H
#define KTRACED_OUTPUT_ROOM_H

#include "capture_file.h"

/*
 * Is there room for a new file? No limits apply to what it begins with.
 * Return: 0, -errno: it was said why not.
 */
int room_begin(__u64 min_free, const char *path, struct ktrace_tracefile *file);
/* From now on the present file has the limits of its recording. */
void room_limit(struct capture *c);
/*
 * Called before about @size bytes are written: removes older parts, if --keep permits it, until
 * there is room. Return: 0, -EFBIG, -ENOSPC.
 */
int room_make(struct capture *c, __u64 size);
/* What went wrong in writing: a limit, or strerror() */
const char *room_error(const struct capture *c, int error);

#endif
