/* SPDX-License-Identifier: GPL-2.0 */
/* extraction.h - events as a new tracefile: what ktrace cut and ktrace merge have in common */
#ifndef VIEWER_EXTRACTION_H
#define VIEWER_EXTRACTION_H

#include "scope.h"

/**
 * struct extraction - one run of the command
 * @scope:	which events
 * @path:	the new file
 * @is_json:	one object
 * @what:	what was asked for, to be written into the file; empty = all
 * @events:	written
 */
struct extraction {
	struct scope scope;
	const char *path;
	bool is_json;
	char what[512];
	__u64 events;
};

/* Writes the events of all files. Return: the exit status. */
int extraction_files(struct extraction *x, int nr, char **paths);

#endif
