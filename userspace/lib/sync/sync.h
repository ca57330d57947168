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
 * @made:	of ktrace_kept_options()
 */
struct ktrace_sync {
	struct estimate e;
	struct machines machines;
	double *offset;
	struct ktrace_sync_stats stats;
	__u64 made;
};

int ktrace_sync_new(const struct ktrace_sync_options *opts, struct ktrace_sync **out);
/* True if several traces have kernel events, which may be packets. */
bool ktrace_sync_has_packets(const struct ktrace_traceset *set);
/* wall_ties.c */
int ktrace_sync_ties(struct ktrace_sync *sync, const struct ktrace_traceset *set);
/* correct.c */
int ktrace_sync_correct(struct ktrace_sync *sync, struct ktrace_traceset *set);

#endif
