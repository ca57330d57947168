/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * disk_room.h - room that a writer leaves free on a file system
 *
 * Asks the file system from time to time only: the less room there is, the sooner.
 */
#ifndef KTRACE_BASE_DISK_ROOM_H
#define KTRACE_BASE_DISK_ROOM_H

#include <linux/types.h>
#include <stdbool.h>

/* For @min_free: the smaller of 5 % and 1 GiB */
#define DISK_ROOM_DEFAULT (~0ull)
/* Sets @min_free to a size such as 512M; 0 = nothing stays free. Programs have options, too. */
#define DISK_ROOM_VARIABLE "KTRACE_MIN_FREE"

/**
 * struct disk_room - one file's view of its file system
 * @min_free:	bytes that stay free, 0 = none
 * @unasked:	bytes that may be written before the file system is asked again
 * @is_short:	the last answer was no: a little more than needed must become free, or writing
 *		would begin and end again with every file that another program removes
 */
struct disk_room {
	__u64 min_free;
	__u64 unasked;
	bool is_short;
};

/* Returns the value from the environment, else DISK_ROOM_DEFAULT. */
__u64 ktrace_disk_room_default(void);
/* Return: 0, -ENOSPC = after @size more bytes in file @fd, too little would stay free. */
int ktrace_disk_room_ask(struct disk_room *r, int fd, __u64 size);
/* True if this program or library was refused room here; else the file system itself is full. */
bool ktrace_disk_room_has_refused(void);
/* Counts @size bytes that were written. */
void ktrace_disk_room_use(struct disk_room *r, __u64 size);

#endif
