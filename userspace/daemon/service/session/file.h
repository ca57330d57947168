/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file.h - a session that writes its packets into a file itself (write_into_file, PFT-73)
 *
 * Packets stay in the buffers until the disk has taken those before them.
 */
#ifndef KTRACED_SERVICE_SESSION_FILE_H
#define KTRACED_SERVICE_SESSION_FILE_H

#include <stdbool.h>

#include "session.h"

/*
 * Opens the file of @config: output_path or @fd (-1: none); takes both in any case, and continues
 * with enable_with(). The consumer's calls wait until then.
 * Return: true if opening has begun; otherwise @error.
 */
bool file_enable(struct consumer *c, Pft__TraceConfig *config, int fd, char *error);
/* Called when the consumer disconnects while its file is being opened. */
void file_forget(struct consumer *c);
/* Takes @disk, which must be open. */
void file_take(struct session *session, struct disk *disk);
/* Removes the file of a session that could not be enabled. */
void file_abandon(struct session *session);
/* Sets the timer for the next drain, at a multiple of the period. */
void file_schedule(struct session *session);
/*
 * Copies what is on its way into the file and no longer in a buffer. Return: false if out of
 * memory.
 */
bool file_pending(const struct session *session, struct batch *b);
/*
 * Writes the last packets and ends the file; calls session_written() then.
 * Return: false if there is no file.
 */
bool file_close(struct session *session);
/* Describes an error of the file. Return: false: there was none. */
bool file_failed(const struct session *session, char *error);

#endif
