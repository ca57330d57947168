/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * disk_room.h - what a writer leaves free of a file system
 *
 * The file system is asked from time to time only: the less room there is, the sooner.
 */
#ifndef KTRACE_BASE_DISK_ROOM_H
#define KTRACE_BASE_DISK_ROOM_H

#include <linux/types.h>
#include <stdbool.h>

/* For @min_free: the smaller of 5 % and 1 GiB */
#define DISK_ROOM_DEFAULT (~0ull)
/* The same as a size, such as 512M; 0 = nothing stays free. Programs are told by options, too. */
#define DISK_ROOM_VARIABLE "KTRACE_MIN_FREE"

/**
 * struct disk_room - one file's view of its file system
 * @min_free:	bytes that stay free, 0 = none
 * @unasked:	bytes that may be written before the file system is asked again
 * @is_short:	the last answer was no: a little more than what is needed has to become free, or
 *		writing would begin and end again with every file that another program removes
 */
struct disk_room {
	__u64 min_free;
	__u64 unasked;
	bool is_short;
};

/* What the environment says, else DISK_ROOM_DEFAULT. */
__u64 ktrace_disk_room_default(void);
/* Return: 0, -ENOSPC: with @size bytes more in the file @fd too little would stay free. */
int ktrace_disk_room_ask(struct disk_room *r, int fd, __u64 size);
/* Has that been an answer to this program or library? Else the file system itself is full. */
bool ktrace_disk_room_has_refused(void);
/* So many bytes have been written. */
void ktrace_disk_room_use(struct disk_room *r, __u64 size);

#endif
