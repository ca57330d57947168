/* SPDX-License-Identifier: GPL-2.0 */
/* shark_file.h - files of S.Ha.R.K.: the events of one chunk */
#ifndef VIEWER_IMPORT_SHARK_FILE_H
#define VIEWER_IMPORT_SHARK_FILE_H

#include <stddef.h>

#include "events/shark.h"

/**
 * struct shark_file - what a file has
 * @path:	its name
 * @slots:	events, 16 bytes each, in the order of the file
 * @nr:		how many
 * @cap:	bytes allocated
 * @first:	the oldest, from which on they are read: not 0 where a chunk that goes round was
 *		written as it lay in memory
 * @at:		the next to be read, counted from the oldest
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
 * Reads a file whole. What is wrong with it is said, and what is good is kept.
 * Return: 0; 1 it is damaged; -errno, which was said too.
 */
int shark_file_read(struct shark_file *f, const char *path);
/* The next event is left where it is. False: there is none. */
bool shark_file_peek(const struct shark_file *f, struct shark_event *e);
void shark_file_free(struct shark_file *f);

#endif
