/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clocks.h - clocks of a trace, and conversion of stamps between them (PFT-90..93)
 *
 * Snapshots give the readings of several clocks at the same moment. A stamp is converted along the
 * shortest way over clocks that share snapshots; each step uses the last snapshot not later than
 * the stamp, else the first one. A clock that ever went backwards can only be the start or end of
 * a way.
 */
#ifndef VIEWER_IMPORT_PERFETTO_CLOCKS_H
#define VIEWER_IMPORT_PERFETTO_CLOCKS_H

#include "base/hash_table.h"

#include <stdbool.h>

/* Ids of clocks that every trace may use; ids from 64 to 127 belong to one sequence each. */
enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3, CLOCK_ID_MONOTONIC_RAW = 5,
       CLOCK_ID_BOOTTIME = 6, CLOCK_ID_PRIVATE = 64, CLOCK_ID_SHARED = 128 };

/**
 * struct clock_id - a clock
 * @sequence:	the sequence that owns it, 0 = shared
 * @id:		its id
 */
struct clock_id {
	__u32 sequence;
	__u32 id;
};

/** struct clock_reading - the reading of a clock in a snapshot, in ns */
struct clock_reading {
	struct clock_id clock;
	__u64 ns;
};

/**
 * struct clocks - all clocks
 * @clocks:	table of clocks by id
 * @links:	pairs of clocks with common snapshots
 * @pairs_left:	number of pairs of readings that may still be added
 * @left_out:	snapshots ignored because there are too many
 * @way_end:	clock that the current ways lead to
 * @way_links:	number of links when these ways were computed
 */
struct clocks {
	struct hash_table clocks;
	struct hash_table links;
	size_t pairs_left;
	__u64 left_out;
	struct clock_id way_end;
	size_t way_links;
};

/* @size: bytes of the input, which limit the number of snapshots. */
void clocks_init(struct clocks *c, size_t size);
/* Adds the readings of one moment. Return: 0, -ENOMEM. */
int clocks_add(struct clocks *c, const struct clock_reading *readings, size_t nr);
/* Return: false if no way leads from one clock to the other. */
bool clocks_convert(struct clocks *c, struct clock_id from, struct clock_id to, __u64 ns,
		    __u64 *out);
void clocks_free(struct clocks *c);

#endif
