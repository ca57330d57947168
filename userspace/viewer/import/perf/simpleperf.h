/* SPDX-License-Identifier: GPL-2.0 */
/* simpleperf.h - reads the text of simpleperf report-sample */
#ifndef VIEWER_IMPORT_PERF_SIMPLEPERF_H
#define VIEWER_IMPORT_PERF_SIMPLEPERF_H

#include "perf_job.h"

/**
 * struct simpleperf - the sample that is being read; all zero to begin with
 * @is_sample:	one has begun
 * @is_put:	its event has been written, its frames follow
 * @line:	its event
 * @comm:	name of its thread
 * @event:	name of the event
 * @frame:	the current frame
 * @has_frame:	it has begun
 * @texts:	memory of @frame: function and file
 * @is_lost:	a report of losses has begun
 */
struct simpleperf {
	bool is_sample;
	bool is_put;
	struct perf_line line;
	char comm[64];
	char event[128];
	struct perf_frame frame;
	bool has_frame;
	char *texts[2];
	bool is_lost;
};

/* True if the line begins a text of simpleperf. */
bool simpleperf_is(const char *line);
/* Takes a line; *@is_known becomes false if it is not understood. Return: 0, -errno. */
int simpleperf_take(struct simpleperf *s, struct perf_job *job, const char *line, bool *is_known);
/* Takes the end of the text. */
int simpleperf_end(struct simpleperf *s, struct perf_job *job);
void simpleperf_free(struct simpleperf *s);

#endif
