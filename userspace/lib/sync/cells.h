/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * cells.h - the bounds between two clocks, by time
 *
 * There are at most CELLS_MAX cells, all equally long; when a later bound needs more, each two
 * become one. If no line respects the bounds of both, they stay apart as halves: so the place where
 * a clock was set, or changed its rate too fast, is known exactly although the memory is bounded.
 */
#ifndef KTRACE_SYNC_CELLS_H
#define KTRACE_SYNC_CELLS_H

#include "bounds.h"

#define CELLS_MAX 4096u
#define HALVED_MAX 4096u	/* then halves become one although no line respects both */

enum side { SIDE_LOWER, SIDE_UPPER };

/* struct cell - bounds of both sides, or two halves that have them */
struct cell {
	struct bounds side[2];
	struct cell *halves;
};

/**
 * struct cells - all of them
 * @at:		the cells
 * @nr:		how many are in use
 * @halved:	how many have halves, at any depth
 * @from:	where the first one begins, ns
 * @width:	of each, ns
 * @wander:	see bounds.h
 * @max_rate:	no larger rates are considered
 * @scratch:	for lines between bounds of both sides
 */
struct cells {
	struct cell *at;
	size_t nr;
	size_t halved;
	double from;
	double width;
	double wander;
	double max_rate;
	struct lines scratch[2];
};

/* struct leaf - a cell without halves */
struct leaf {
	double from;
	double to;
	struct bounds *side;
};

int ktrace_cells_add(struct cells *c, enum side side, struct bound point);
int ktrace_cells_widen(struct cells *c);
int ktrace_cells_leaves(struct cells *c, struct leaf **out, size_t *nr);
void ktrace_cells_free(struct cells *c);

#endif
