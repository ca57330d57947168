/* SPDX-License-Identifier: GPL-2.0 */
/* send_disk.h - writes chunks of S.Ha.R.K. to files, one for each chunk */
#ifndef KTRACED_SHARK_SEND_DISK_H
#define KTRACED_SHARK_SEND_DISK_H

#include <limits.h>
#include <stdbool.h>
#include <stdatomic.h>

#include "base/disk_room.h"
#include "chunk.h"

struct disk_file;

/**
 * struct disk - destination of files
 * @folder_fd:	the folder
 * @mode:	mode of files, 0 = default
 * @name:	base name of all files, NULL = chosen by programs
 * @files:	files written in this recording
 * @trace_dev:	device of the recording itself, which is never replaced
 * @trace_ino:	inode of the recording
 * @room:	space to leave free in the file system
 * @is_aborted:	true: give up
 */
struct disk {
	int folder_fd;
	__u32 mode;
	const char *name;
	struct disk_file *files;
	dev_t trace_dev;
	ino_t trace_ino;
	struct disk_room room;
	atomic_bool is_aborted;
};

/**
 * struct disk_done - a chunk that has been written
 * @name:	name of its file
 * @before:	size of the file before
 * @after:	size of the file after that
 * @is_new:	the file did not exist before
 * @events:	number of events written, 0 for a compressed chunk
 */
struct disk_done {
	char name[NAME_MAX];
	off_t before;
	off_t after;
	bool is_new;
	__u32 events;
};

/**
 * disk_send - write a chunk; returns when it is on disk
 * @d:		the destination
 * @number:	number of the chunk
 * @name:	base name that the program gave
 * @c:		the chunk
 * @done:	out: what was written
 *
 * Return: 0; -EINVAL invalid name; -EEXIST the recording has that name; or -errno: on failure
 * nothing of the chunk remains.
 */
int disk_send(struct disk *d, __u32 number, const char *name, struct chunk *c,
	      struct disk_done *done);

/* Removes a chunk that was written. */
void disk_undo(struct disk *d, const struct disk_done *done);
void disk_exit(struct disk *d);

#endif
