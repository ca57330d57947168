/* SPDX-License-Identifier: GPL-2.0 */
/* perf_data.h - has perf print what perf record has written */
#ifndef VIEWER_IMPORT_PERF_PERF_DATA_H
#define VIEWER_IMPORT_PERF_PERF_DATA_H

#include <stdio.h>

#include "perf_job.h"

/* True if the file is one of perf record; it is then at its beginning again. */
bool perf_data_is(FILE *file);
/*
 * Reads the file by perf script; @take takes its lines. Return: 0, -errno, -ECANCELED after
 * reporting the error.
 */
int perf_data_read(struct perf_job *job, FILE *file,
		   int (*take)(struct perf_job *job, FILE *lines));

#endif
