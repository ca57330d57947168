/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * regression.h - offset and rate by least squares
 *
 * A sample is half way between the bounds of a message and of the answer that follows it: that is
 * the offset if both took equally long. So the result says nothing about asymmetric delays.
 */
#ifndef KTRACE_SYNC_REGRESSION_H
#define KTRACE_SYNC_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* struct moments - of samples (x, y): number, means, and sums of products of differences to them */
struct moments {
	double nr;
	double x;
	double y;
	double xx;
	double xy;
	double yy;
};

#define REGRESSION_CELLS 1024u

/**
 * struct regression - samples by time
 * @at:		of each of REGRESSION_CELLS equally long cells; NULL = no samples yet
 * @from:	where the first one begins, ns
 * @width:	of each; doubled when a later sample needs more
 */
struct regression {
	struct moments *at;
	double from;
	double width;
};

/**
 * struct regression_line - result
 * @offset:	at the place asked for, ns
 * @rate:	ns for a ns
 * @error:	of the offset: it is within this of the truth with probability 0.95, ns; INFINITY
 *		with fewer than three samples
 * @samples:	how many
 */
struct regression_line {
	double offset;
	double rate;
	double error;
	double samples;
};

int ktrace_regression_add(struct regression *r, double x, double y);
bool ktrace_regression_line(const struct regression *r, double x, double reach,
			    struct regression_line *out);
void ktrace_regression_free(struct regression *r);

#endif
