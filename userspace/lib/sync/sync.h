/* SPDX-License-Identifier: LGPL-2.1 */
/* sync.h - what is known about the clocks of all hosts */
#ifndef KTRACE_SYNC_SYNC_H
#define KTRACE_SYNC_SYNC_H

#include <ktrace/sync.h>

#include "estimate.h"
#include "machine.h"

/**
 * struct ktrace_sync - the result
 * @e:		the estimate. Its hosts are @machines, then, for a traceset, the source of the wall
 *		clocks
 * @machines:	hosts; of text, without traces
 * @offset:	for each host, what was added in the middle, ns
 * @stats:	statistics
 */
struct ktrace_sync {
	struct estimate e;
	struct machines machines;
	double *offset;
	struct ktrace_sync_stats stats;
};

int ktrace_sync_new(const struct ktrace_sync_options *opts, struct ktrace_sync **out);
/* wall_ties.c */
int ktrace_sync_ties(struct ktrace_sync *sync, const struct ktrace_traceset *set);
/* correct.c */
int ktrace_sync_correct(struct ktrace_sync *sync, struct ktrace_traceset *set);

#endif
