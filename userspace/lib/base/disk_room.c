// SPDX-License-Identifier: LGPL-2.1
/* disk_room.c - room that a writer leaves free on a file system */
#include "disk_room.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "decimal.h"

#define SHARE 20u		/* 5 % */
#define KEPT_MAX (1ull << 30)
/* Maximum size written without asking, as other programs write, too */
#define UNASKED_MAX (64ull << 20)

static bool has_refused;

bool ktrace_disk_room_has_refused(void)
{
	return has_refused;
}

__u64 ktrace_disk_room_default(void)
{
	const char *text = secure_getenv(DISK_ROOM_VARIABLE);
	__u64 size;

	return text && decimal_size(text, &size) ? size : DISK_ROOM_DEFAULT;
}

static __u64 kept(const struct disk_room *r, const struct statvfs *fs)
{
	const __u64 share = (__u64)fs->f_blocks / SHARE * fs->f_frsize;

	if (r->min_free != DISK_ROOM_DEFAULT)
		return r->min_free;
	return share < KEPT_MAX ? share : KEPT_MAX;
}

/* Returns how much may still be written, ~0 = unknown. */
static __u64 room_of(const struct disk_room *r, int fd)
{
	struct statvfs fs;
	struct stat st;
	__u64 left, keep;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || fstatvfs(fd, &fs) || !fs.f_blocks)
		return ~0ull;
	left = (__u64)fs.f_bavail * fs.f_frsize;
	keep = kept(r, &fs);
	if (r->is_short && __builtin_add_overflow(keep, keep / 4, &keep))
		keep = ~0ull;
	return left > keep ? left - keep : 0;
}

int ktrace_disk_room_ask(struct disk_room *r, int fd, __u64 size)
{
	__u64 room;

	if (!r->min_free || size <= r->unasked)
		return 0;
	room = room_of(r, fd);
	r->is_short = room < size;
	r->unasked = 0;
	if (r->is_short) {
		has_refused = true;
		return -ENOSPC;
	}
	room = (room - size) / 4;
	r->unasked = size + (room < UNASKED_MAX ? room : UNASKED_MAX);
	return 0;
}

void ktrace_disk_room_use(struct disk_room *r, __u64 size)
{
	r->unasked -= size < r->unasked ? size : r->unasked;
}
