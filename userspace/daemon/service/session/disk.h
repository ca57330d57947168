/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disk.h - one file, and the thread that waits for its disk: the loop never does
 *
 *	loop    disk_open()      disk_write()      disk_close()
 *	              \            ^     \            ^    \
 *	thread         open -> done()     write -> done()   close -> gone
 *
 * One operation at a time. What it works with is the thread's until done() is called, from the
 * loop. Files are made and removed with the rights of the user who wants them,
 * whatever those of the service are.
 */
#ifndef KTRACED_SERVICE_SESSION_DISK_H
#define KTRACED_SERVICE_SESSION_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "service/ipc/batch.h"

struct disk;
struct connection;
struct service;

/* @error: 0 or -errno. @size: bytes of whole packets that were written. */
typedef void disk_done(void *arg, int error, uint64_t size);

/* A part of a file */
struct disk_part {
	int fd;
	off_t at;
	uint64_t size;
};

/*
 * Makes the file @path, or, if that is NULL, takes @fd, for the user behind @owner. In done():
 * -ESPIPE: the descriptor is not one of a regular file; or why the file cannot be made.
 * Return: 0, -EUSERS (the user has too many files under way), or -errno; then @fd is the caller's.
 */
int disk_open(struct disk **out, const struct connection *owner, const char *path, int fd);
/* In words: what was wrong. */
const char *disk_error(int error);
/* What is called at the end of the operation at hand. */
void disk_then(struct disk *d, disk_done *done, void *arg);
/*
 * Writes the packets of @b, which stays as it is until then. If that fails, the last whole packet
 * is the end of the file, and nothing is written any more. @syncs: waits until it is on the disk.
 */
void disk_write(struct disk *d, const struct batch *b, bool syncs);
/* Copies @part, and writes @b behind it. Takes the descriptor and @b. */
void disk_copy(struct disk *d, const struct disk_part *part, struct batch *b);
/* The first @size bytes that were written, with a descriptor of their own, or -1. */
struct disk_part disk_part(const struct disk *d, uint64_t size);
/* At any time. @is_unwanted: what was made is removed. */
void disk_close(struct disk *d, bool is_unwanted);

#endif
