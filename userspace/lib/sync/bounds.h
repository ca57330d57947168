/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * bounds.h - bounds of the offset between two clocks
 *
 * Let o(x) be what is to be added to time x of one clock to get the other clock's time. A message
 * that was sent at a by the other clock and received at x says o(x) >= a - x; one in the other
 * direction says the opposite. Upper bounds are stored as lower bounds of -o(x), so there is one
 * kind.
 *
 * The rate of o is not constant, but changes by no more than @wander: |o''| <= wander. So if m is
 * its rate at t, o(x) is within wander (x - t)^2 / 2 of o(t) + m (x - t), and a bound (x, y) is one
 * of that line, lower by this much. For every t, the bounds that matter are vertices of the same
 * hull: that of the points (x, y - wander x^2 / 2), as another t only shears it.
 */
#ifndef KTRACE_SYNC_BOUNDS_H
#define KTRACE_SYNC_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* struct bound - o(@x) >= @y; ns */
struct bound {
	double x;
	double y;
};

/**
 * struct bounds - the vertices of a hull, and points that may become some
 * @at:		points: @nr vertices in order of x, then @fresh others
 * @nr:		number of vertices
 * @fresh:	number of other points
 * @cap:	room
 */
struct bounds {
	struct bound *at;
	__u32 nr;
	__u32 fresh;
	__u32 cap;
};

int ktrace_bounds_add(struct bounds *b, struct bound point, double wander);
int ktrace_bounds_join(struct bounds *to, struct bounds *from, double wander);
void ktrace_bounds_shrink(struct bounds *b, double wander);
void ktrace_bounds_trim(struct bounds *b, double wander);
void ktrace_bounds_free(struct bounds *b);

/**
 * struct lines - the function max(@y + m @rate) of the rate m, convex
 * @y:		value at m = 0
 * @rate:	slope
 * @nr:		number of lines; 0: the function is -infinity
 * @cap:	room
 */
struct lines {
	double *y;
	double *rate;
	size_t nr;
	size_t cap;
};

/**
 * struct offset_range - o(t) of all lines that respect all bounds
 * @low:	smallest o(t), -INFINITY if there is no lower bound
 * @high:	largest o(t), INFINITY if there is no upper bound
 * @low_rate:	smallest rate
 * @high_rate:	largest rate
 */
struct offset_range {
	double low;
	double high;
	double low_rate;
	double high_rate;
};

/* struct window - from and to when bounds count, and the time from which they are seen; ns */
struct window {
	double from;
	double to;
	double t;
};

int ktrace_lines_add(struct lines *l, const struct bounds *b, const struct window *w,
		     double wander);
bool ktrace_lines_fit(const struct lines *lower, const struct lines *upper, double max_rate,
		      struct offset_range *out);
void ktrace_lines_free(struct lines *l);

#endif
