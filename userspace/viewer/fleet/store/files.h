/* SPDX-License-Identifier: GPL-2.0 */
/*
 * files.h - the folder of a store
 *
 *   DIR/HOST/BOOT/DATE-UUID.0001.bin	complete files
 *   DIR/HOST/BOOT/.index		when their events are, see base/store_index.h
 *   DIR/.incoming/UUID.1		a file that is not complete yet: its bytes from 0 on
 *   DIR/.incoming/.lock		held by the ktrace store that writes here
 */
#ifndef VIEWER_FLEET_STORE_FILES_H
#define VIEWER_FLEET_STORE_FILES_H

#include "fleet/message.h"

/* What became of a piece: FILES_ADDED, bytes were added; FILES_HAS, they were there already */
enum { FILES_ADDED, FILES_HAS };

/**
 * struct files - the folder
 * @dir:	descriptor of DIR
 * @incoming:	of DIR/.incoming
 * @lock:	of the lock
 */
struct files {
	int dir;
	int incoming;
	int lock;
};

/* Return: 0; -EBUSY: another process stores there; -errno */
int files_open(struct files *f, const char *path);
void files_close(struct files *f);
/* Returns the number of files that are not complete. */
unsigned int files_incoming(const struct files *f);
/* Returns the number of hosts that have a folder. */
unsigned int files_hosts(const struct files *f);
/* True if the part with this number is there; with that of @p: whatever its content is. */
bool files_has(const struct files *f, const struct message_part *p, __u32 number);
/*
 * Compares a file that is there with what the host has. Return: 1 equal, and on the disk; 0 not;
 * -errno
 */
int files_compare(const struct files *f, const struct message_part *p);
/* Returns how many bytes of an incomplete file are there. */
__u64 files_have(const struct files *f, const struct message_part *p);
/*
 * Adds a piece, not yet to the disk. Return: FILES_ADDED, FILES_HAS; -EAGAIN: bytes before it are
 * missing; -errno, and nothing was added.
 */
int files_add(struct files *f, const struct message_part *p, __u64 offset, const void *data,
	      size_t size);
/*
 * Writes to the disk what was added. If the file is complete, checks it and gives it its name.
 * Return: 1 it is complete; 0 it is not; -EBADMSG: its checksum was wrong, it was dropped; -errno.
 */
int files_sync(struct files *f, const struct message_part *p);

#endif
