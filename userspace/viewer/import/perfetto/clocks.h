/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clocks.h - clocks of a trace, and how a stamp of one becomes one of another (PFT-90..93)
 *
 * Snapshots say what several clocks showed at the same moment. A stamp goes along the shortest
 * way over clocks that were seen together; at each step the last snapshot that is not later than
 * the stamp counts, or the first one. A clock that was seen going backwards is no step on the way,
 * but may be its end.
 */
#ifndef VIEWER_IMPORT_PERFETTO_CLOCKS_H
#define VIEWER_IMPORT_PERFETTO_CLOCKS_H

#include "base/hash_table.h"

#include <stdbool.h>

/* Numbers of clocks that all have; those from 64 to 127 are of one sequence each. */
enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3, CLOCK_ID_MONOTONIC_RAW = 5,
       CLOCK_ID_BOOTTIME = 6, CLOCK_ID_PRIVATE = 64, CLOCK_ID_SHARED = 128 };

/**
 * struct clock_id - a clock
 * @sequence:	whose it is, 0 = everybody's
 * @id:		its number
 */
struct clock_id {
	__u32 sequence;
	__u32 id;
};

/** struct clock_reading - what a clock of a snapshot showed, in ns */
struct clock_reading {
	struct clock_id clock;
	__u64 ns;
};

/**
 * struct clocks - all clocks
 * @clocks:	by number
 * @links:	between two of them
 * @pairs_left:	readings of two clocks at a moment that may still come
 * @left_out:	snapshots that are not, as there are too many
 * @way_end:	where the ways of all of them lead
 * @way_links:	how many links there were when they were looked for
 */
struct clocks {
	struct hash_table clocks;
	struct hash_table links;
	size_t pairs_left;
	__u64 left_out;
	struct clock_id way_end;
	size_t way_links;
};

/* @size: of the input, in bytes; a small one has few snapshots. */
void clocks_init(struct clocks *c, size_t size);
/* Readings of one moment. Return: 0, -ENOMEM. */
int clocks_add(struct clocks *c, const struct clock_reading *readings, size_t nr);
/* Return: false: there is no way from one to the other. */
bool clocks_convert(struct clocks *c, struct clock_id from, struct clock_id to, __u64 ns,
		    __u64 *out);
void clocks_free(struct clocks *c);

#endif
