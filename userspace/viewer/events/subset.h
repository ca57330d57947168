/* SPDX-License-Identifier: GPL-2.0 */
/* subset.h - writes selected events to a new tracefile, for ktrace cut and ktrace merge */
#ifndef VIEWER_EVENTS_SUBSET_H
#define VIEWER_EVENTS_SUBSET_H

#include "time_range.h"

/**
 * struct subset - one run of the command
 * @scope:	which events
 * @path:	the new file
 * @is_json:	report as a JSON object
 * @level:	compression level of blocks, 0 = not compressed
 * @single:	the command, for its usage message, if it takes files of one recording only; else
 *		NULL
 * @what:	description of the request, written to the file; empty = all events
 * @events:	number of events written
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

/* The options of a struct subset, but for those of its scope */
extern const struct option_row subset_options[];
#define SUBSET_SETS \
	{ subset_options, 0 }, \
	{ output_options, 0 }, \
	{ compress_options, offsetof(struct subset, level) }

/* Writes the events of a traceset into @path. Return: 0, -errno. */
int subset_write(struct subset *x, struct ktrace_traceset *set, const char *path);
/*
 * Writes the events of all files to @x's path, which appears once complete, and prints a summary.
 * Return: the exit status.
 */
int subset_files(struct subset *x, int nr, char **paths);

#endif
