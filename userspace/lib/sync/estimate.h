/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * estimate.h - times of several hosts on the clock of one of them
 *
 * Each host has a clock, whose times are ns from a zero of its own, small enough for a double. All
 * that is known are bounds for pairs of hosts (pair.h). One host is the reference. At each of a
 * number of its times, the bounds of all pairs are differences that the errors of the hosts may
 * have; the shortest paths in the graph of these differences are the bounds for each host, and the
 * middle of them respects all bounds of all pairs at once.
 */
#ifndef KTRACE_SYNC_ESTIMATE_H
#define KTRACE_SYNC_ESTIMATE_H

#include <math.h>

#include "pair.h"

/**
 * struct knot - what a host's clock shows at a time of the reference
 * @x:		time of the host, ns
 * @t:		time of the reference, ns
 * @early:	the true one may be earlier by this; INFINITY = unknown
 * @late:	or later by this
 */
struct knot {
	double x;
	double t;
	double early;
	double late;
};

/* Moves a knot in time; its interval stays where it is. */
static inline void knot_move(struct knot *k, double t)
{
	k->early = fmax(k->early + (t - k->t), 0);
	k->late = fmax(k->late - (t - k->t), 0);
	k->t = t;
}

#define HOST_NONE (~0u)

/**
 * struct host - a clock
 * @begin:	earliest time that is of interest, ns
 * @end:	latest one
 * @prior:	what to add to get the clock that all hosts are believed to share, if nothing else
 *		is known, ns
 * @is_virtual:	a source of time without a trace, which cannot be the reference
 * @is_linked:	pairs with bounds of both sides lead to the reference
 * @parent:	the next host on the way there with the least error, HOST_NONE
 * @cost:	mean error of that way, ns
 * @knots:	in order of @x and @t
 * @knot_nr:	how many
 * @knot_cap:	room
 */
struct host {
	double begin;
	double end;
	double prior;
	bool is_virtual;
	bool is_linked;
	__u32 parent;
	double cost;
	struct knot *knots;
	size_t knot_nr;
	size_t knot_cap;
};

/**
 * struct edge - a pair, and what came out
 * @pair:	the bounds
 * @error:	mean of half the width of the range; INFINITY: there never is a finite one
 * @max_error:	largest one
 * @covered:	part of the time with a finite range, 0 to 1
 * @has_one:	there are bounds of only one side
 * @is_used:	it is part of the tree
 * @inverted:	messages kept of which no correction makes the order right
 */
struct edge {
	struct pair pair;
	double error;
	double max_error;
	double covered;
	bool has_one;
	bool is_used;
	__u64 inverted;
};

/**
 * struct estimate - hosts and pairs
 * @hosts:	all
 * @nr:		how many
 * @edges:	pairs that have bounds
 * @edge_nr:	how many
 * @edge_cap:	room
 * @wander:	how fast a rate may change, ns per ns, for a ns
 * @max_rate:	largest rate between two clocks, ns per ns
 * @reference:	number of the reference host; HOST_NONE: choose the one with the least error
 * @regresses:	by least squares, not by bounds
 * @contradictions: times at which the bounds of three or more hosts contradict each other
 */
struct estimate {
	struct host *hosts;
	__u32 nr;
	struct edge **edges;
	size_t edge_nr;
	size_t edge_cap;
	double wander;
	double max_rate;
	__u32 reference;
	bool regresses;
	__u64 contradictions;
};

int ktrace_estimate_init(struct estimate *e, __u32 nr);
int ktrace_estimate_message(struct estimate *e, __u32 from, __u32 to, double sent,
			    double received);
int ktrace_estimate_tie(struct estimate *e, __u32 host, __u32 source, double x, double at,
			double error);
int ktrace_estimate_solve(struct estimate *e);
const struct knot *ktrace_host_knot(const struct host *h, double x);
double ktrace_estimate_time(const struct estimate *e, __u32 host, double x);
void ktrace_estimate_free(struct estimate *e);

/* place.c */
int ktrace_place(struct estimate *e);
/* repair.c */
int ktrace_repair(struct estimate *e);

#endif
