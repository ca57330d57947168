/* SPDX-License-Identifier: GPL-2.0 */
/* shark_file.h - reads files of S.Ha.R.K.: the events of one chunk */
#ifndef VIEWER_IMPORT_SHARK_FILE_H
#define VIEWER_IMPORT_SHARK_FILE_H

#include <stddef.h>

#include "events/shark.h"

/**
 * struct shark_file - contents of a file
 * @path:	its name
 * @slots:	events, 16 bytes each, in the order of the file
 * @nr:		number of events
 * @cap:	bytes allocated
 * @first:	the oldest event, where reading starts: not 0 if a chunk that had wrapped was
 *		written in its memory order
 * @at:		next event to read, counted from the oldest
 */
struct shark_file {
	const char *path;
	unsigned char *slots;
	size_t nr;
	size_t cap;
	size_t first;
	size_t at;
};

/*
 * Reads a whole file. Reports damage, and keeps the good events.
 * Return: 0; 1: it is damaged; -errno, already reported.
 */
int shark_file_read(struct shark_file *f, const char *path);
/* Returns the next event without taking it; false if there is none. */
bool shark_file_peek(const struct shark_file *f, struct shark_event *e);
void shark_file_free(struct shark_file *f);

#endif
