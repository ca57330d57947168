/* SPDX-License-Identifier: GPL-2.0 */
/* subset.h - events as a new tracefile: what ktrace cut and ktrace merge have in common */
#ifndef VIEWER_EVENTS_SUBSET_H
#define VIEWER_EVENTS_SUBSET_H

#include "time_range.h"

/**
 * struct subset - one run of the command
 * @scope:	which events
 * @path:	the new file
 * @is_json:	one object
 * @level:	how blocks are compressed, 0 = not
 * @single:	files must be those of one recording: the command, for its usage; else NULL
 * @what:	what was asked for, to be written into the file; empty = all
 * @events:	written
 */
struct subset {
	struct time_range scope;
	const char *path;
	bool is_json;
	int level;
	const struct command *single;
	char what[512];
	__u64 events;
};

#define SUBSET_OPTIONS \
	OUTPUT_OPTIONS, \
	{ "compress", optional_argument, NULL, 'z' }, \
	{ "json", no_argument, NULL, 'j' }

#define SUBSET_HELP \
"  -o, --output FILE  the new file; replaces what is there\n" \
OUTPUT_HELP \
COMPRESS_HELP

/* Takes one of these options. Return: NULL, or what is wrong with it. */
const char *subset_option(struct subset *x, int option);

/* Writes the events of a traceset into @path. Return: 0, -errno. */
int subset_write(struct subset *x, struct ktrace_traceset *set, const char *path);
/*
 * The same of all files, into @x's path once it is whole, and says what there is.
 * Return: the exit status.
 */
int subset_files(struct subset *x, int nr, char **paths);

#endif
