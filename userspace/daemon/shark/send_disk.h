/* SPDX-License-Identifier: GPL-2.0 */
/* send_disk.h - chunks of S.Ha.R.K. into files, one for each chunk */
#ifndef KTRACED_SHARK_SEND_DISK_H
#define KTRACED_SHARK_SEND_DISK_H

#include <limits.h>
#include <stdbool.h>
#include <stdatomic.h>

#include "base/disk_room.h"
#include "chunk.h"

struct disk_file;

/**
 * struct disk - where files go
 * @folder_fd:	the folder
 * @mode:	of files, 0 = the usual one
 * @name:	base name of all files, NULL = what programs say
 * @files:	written in this recording
 * @trace_dev:	the recording itself, which is not replaced
 * @trace_ino:	the same
 * @room:	what the file system is to keep
 * @is_aborted:	give up
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
 * struct disk_done - a chunk that is in its file
 * @name:	of the file
 * @before:	its size before
 * @after:	and then
 * @is_new:	it was not there
 * @events:	how many were written, 0 of a compressed chunk
 */
struct disk_done {
	char name[NAME_MAX];
	off_t before;
	off_t after;
	bool is_new;
	__u32 events;
};

/**
 * disk_send - write a chunk; returns when it is on the disk
 * @d:		where to
 * @number:	of the chunk
 * @name:	base name that the program gave
 * @c:		the chunk
 * @done:	what was done
 *
 * Return: 0; -EINVAL a name that may not be; -EEXIST the recording has that name; or -errno: then
 * nothing of it is there.
 */
int disk_send(struct disk *d, __u32 number, const char *name, struct chunk *c,
	      struct disk_done *done);

/* As if it had not been sent. */
void disk_undo(struct disk *d, const struct disk_done *done);
void disk_exit(struct disk *d);

#endif
