/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disk.h - a file and the thread that waits for its disk, so that the loop never does
 *
 *	loop    disk_open()      disk_write()      disk_close()
 *	              \            ^     \            ^    \
 *	thread         open -> done()     write -> done()   close -> gone
 *
 * Runs one operation at a time. Its arguments belong to the thread until done() is called from the
 * loop. Files are made and removed with the rights of the user who wants them, whatever those of
 * the service are.
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

/* @error: 0 or -errno. @size: bytes of whole packets written. */
typedef void disk_done(void *arg, int error, uint64_t size);

/* A part of a file */
struct disk_part {
	int fd;
	off_t at;
	uint64_t size;
};

/*
 * Makes the file @path or, if that is NULL, takes @fd, for the user of @owner. done() gets -ESPIPE
 * if the descriptor is not a regular file, or why the file cannot be made.
 * Return: 0, -EUSERS (the user has too many files open here), or -errno; then @fd stays the
 * caller's.
 */
int disk_open(struct disk **out, const struct connection *owner, const char *path, int fd);
/* Returns a message for an error. */
const char *disk_error(int error);
/* Sets what is called at the end of the current operation. */
void disk_then(struct disk *d, disk_done *done, void *arg);
/*
 * Writes the packets of @b, which must not change until then. After a failure the file ends with
 * the last whole packet, and nothing more is written. @syncs: waits until the data is on the disk.
 */
void disk_write(struct disk *d, const struct batch *b, bool syncs);
/* Copies @part, then writes @b after it. Takes the descriptor and @b. */
void disk_copy(struct disk *d, const struct disk_part *part, struct batch *b);
/* Returns the first @size bytes written, with a descriptor of its own, or -1. */
struct disk_part disk_part(const struct disk *d, uint64_t size);
/* Bytes that were free there after the last operation. Return: false: unknown. */
bool disk_free(struct disk *d, uint64_t *bytes);
/* Returns the path of the file, to be freed; NULL: unknown. */
char *disk_path(const struct disk *d);
/* May be called at any time. @is_unwanted: removes a file that was made. */
void disk_close(struct disk *d, bool is_unwanted);

#endif
