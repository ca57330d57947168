/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file.h - a session that writes its packets into a file by itself (write_into_file, PFT-73)
 *
 * Packets stay in the buffers until the disk has taken those before them.
 */
#ifndef KTRACED_SERVICE_SESSION_FILE_H
#define KTRACED_SERVICE_SESSION_FILE_H

#include <stdbool.h>

#include "session.h"

/*
 * Opens the file that @config wants, output_path or @fd (-1: none), takes both in any case, and
 * goes on with enable_with(). Until then the consumer's calls wait.
 * Return: whether it is under way; otherwise @error.
 */
bool file_enable(struct consumer *c, Pft__TraceConfig *config, int fd, char *error);
/* The consumer goes while its file is being opened. */
void file_forget(struct consumer *c);
/* Takes @disk, which is open. */
void file_take(struct session *session, struct disk *disk);
/* A session that could not be enabled leaves no file behind. */
void file_abandon(struct session *session);
/* The next drain, at a multiple of the period. */
void file_schedule(struct session *session);
/* What is on its way into the file, and is in no buffer any more. Return: false without memory. */
bool file_pending(const struct session *session, struct batch *b);
/*
 * The last packets, and the end, when session_written() is called.
 * Return: false if there is no file.
 */
bool file_close(struct session *session);
/* What went wrong with it, in words. Return: false: nothing. */
bool file_failed(const struct session *session, char *error);

#endif
