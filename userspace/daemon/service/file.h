/* SPDX-License-Identifier: GPL-2.0 */
/* file.h - a session that writes its packets into a file by itself (write_into_file, PFT-73) */
#ifndef KTRACED_SERVICE_FILE_H
#define KTRACED_SERVICE_FILE_H

#include <stdbool.h>

#include "session.h"

/* Whether writing into @fd cannot be held up by who reads it. */
bool file_is_fit(int fd);
/* Takes @fd, -1: makes the file output_path. Return: whether it worked; otherwise @error. */
bool file_open(struct session *session, int fd, char *error);
/* A session that could not be enabled leaves no file behind. */
void file_abandon(struct session *session);
/* The next drain, at a multiple of the period. */
void file_schedule(struct session *session);
/* Writes what there is. Return: false if the file is full or broken: it is closed then. */
bool file_drain(struct session *session);
/* The last packets, and the end. */
void file_close(struct session *session);

#endif
