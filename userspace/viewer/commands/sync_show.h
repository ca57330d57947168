/* SPDX-License-Identifier: GPL-2.0 */
/* sync_show.h - a run of ktrace sync, and what it prints */
#ifndef VIEWER_COMMANDS_SYNC_SHOW_H
#define VIEWER_COMMANDS_SYNC_SHOW_H

#include "base/histogram.h"
#include "base/viewer.h"

#include <ktrace/sync.h>

/**
 * struct trips - how long messages of a pair took, by the corrected times
 * @there:	to the second host
 * @back:	to the first one
 * @inverted:	received before they were sent
 */
struct trips {
	struct histogram there;
	struct histogram back;
	__u64 inverted;
};

/**
 * struct sync_run - one run of the command
 * @opts:	of the library
 * @is_text:	the file is text
 * @evaluates:	read all again, and look at the messages
 * @is_json:	print JSON
 * @path:	file for --clocks of other commands, NULL = none
 * @set:	the files, corrected; NULL for text
 * @sync:	the result
 * @out:	where it goes
 * @trips:	of each pair of hosts, @host_nr times @host_nr, the lower number first
 * @host_nr:	number of hosts
 * @error:	of a callback
 */
struct sync_run {
	struct ktrace_sync_options opts;
	bool is_text;
	bool evaluates;
	bool is_json;
	const char *path;
	struct ktrace_traceset *set;
	struct ktrace_sync *sync;
	struct ktrace_out *out;
	struct trips *trips;
	__u32 host_nr;
	int error;
};

/* Prints hosts, pairs and counts of @r->sync. */
void sync_show(const struct sync_run *r);

#endif
