/* SPDX-License-Identifier: LGPL-2.1 */
/* pair.h - what is known about the clocks of two hosts */
#ifndef KTRACE_SYNC_PAIR_H
#define KTRACE_SYNC_PAIR_H

#include "cells.h"
#include "regression.h"

/**
 * struct run - bounds that all agree
 * @first:	the first leaf that has some of them
 * @last:	the last one
 * @from:	time of the first bound
 * @to:		of the last one
 * @hole_from:	the longest time without a bound between the run before and this one begins; a
 *		clock that was set to a later time has no stamps in between, so it was set here
 * @hole_to:	and ends
 * @hole:	its length
 * @next_hole:	length of the second longest one
 */
struct run {
	size_t first;
	size_t last;
	double from;
	double to;
	double hole_from;
	double hole_to;
	double hole;
	double next_hole;
};

#define TRIP_BITS 48u

/**
 * struct pair - two hosts, and messages between them
 * @host:	their numbers, ascending. The offset is what is to be added to times of the second
 *		to get times of the first; x is a time of the second one
 * @cells:	bounds of the offset
 * @regression:	samples of the offset
 * @messages:	to the second host, to the first one
 * @ties:	bounds from other sources
 * @pending:	the latest lower bound that no upper one followed; valid if @is_pending
 * @trips:	round trips by length: below 2, 4, 8, ... ns; those that are known well enough
 * @shortest:	of these, ns
 * @least_trip:	the shortest of all, ns: the clocks' difference in rate may have made it so short
 * @reach:	bounds farther from a place say little about it, ns
 * @leaves:	the cells; all from here on valid after ktrace_pair_settle()
 * @leaf_nr:	how many
 * @runs:	they are separated by places where a clock was set or changed its rate too fast
 * @run_nr:	how many
 * @loosened:	questions that no line answers unless the rate may change faster
 * @far:	bounds of a run that are out of reach, while runs are looked for; else empty
 * @error:	-ENOMEM from where it could not be returned
 * @scratch:	for ktrace_pair_range()
 */
struct pair {
	__u32 host[2];
	struct cells cells;
	struct regression regression;
	__u64 messages[2];
	__u64 ties;
	struct bound pending;
	bool is_pending;
	__u64 trips[TRIP_BITS];
	double shortest;
	double least_trip;
	double reach;
	struct leaf *leaves;
	size_t leaf_nr;
	struct run *runs;
	size_t run_nr;
	__u64 loosened;
	struct bounds far[2];
	int error;
	struct lines scratch[2];
};

void ktrace_pair_init(struct pair *p, __u32 first, __u32 second, double wander, double max_rate);
int ktrace_pair_message(struct pair *p, enum side side, double x, double other);
int ktrace_pair_tie(struct pair *p, double x, double low, double high);
int ktrace_pair_settle(struct pair *p);
int ktrace_pair_range(struct pair *p, double x, struct offset_range *out);
int ktrace_pair_range_of(struct pair *p, size_t run, double x, struct offset_range *out);
int ktrace_pair_whole(struct pair *p, double x, struct offset_range *out);
void ktrace_pair_free(struct pair *p);

#endif
