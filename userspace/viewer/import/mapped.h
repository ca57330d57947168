/* SPDX-License-Identifier: GPL-2.0 */
/* mapped.h - a file in memory, for imports that read it more than once */
#ifndef VIEWER_IMPORT_MAPPED_H
#define VIEWER_IMPORT_MAPPED_H

#include <stddef.h>

/** struct mapped - a file's contents; @data is NULL if it is empty */
struct mapped {
	const char *data;
	size_t size;
};

/* Maps a file. Return: 0, -ECANCELED after reporting the error. */
int mapped_open(struct mapped *m, const char *path);
void mapped_close(struct mapped *m);

#endif
