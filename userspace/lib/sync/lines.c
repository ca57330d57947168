// SPDX-License-Identifier: LGPL-2.1
/*
 * lines.c - the lines between lower and upper bounds
 *
 * For a rate m, the smallest o(t) that all lower bounds allow is F(m), the largest of linear
 * functions of m, one for each bound; upper bounds allow up to -G(m), G of the same kind. Lines
 * exist for the rates with F(m) + G(m) <= 0, and o(t) is between the minimum of F and that of G,
 * negated, over these rates. All are found by intersecting tangents, which ends after a few steps,
 * and on the safe side of the result.
 */
#include "bounds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

#define STEPS_MAX 200	/* a handful in practice */
#define ROUNDING 1e-3	/* ns */

/* struct tangent - a value at a rate, and the slope there */
struct tangent {
	double m;
	double y;
	double slope;
};

/* Adds a function for each bound in a window. Returns 0, -ENOMEM. */
int ktrace_lines_add(struct lines *l, const struct bounds *b, const struct window *w, double wander)
{
	size_t room = l->nr + b->nr + b->fresh, i;
	double dx;

	if (room > l->cap) {
		room = list_room(room, l->cap);
		if (!LIST_RESIZE(l->y, room) || !LIST_RESIZE(l->rate, room))
			return -ENOMEM;
		l->cap = room;
	}
	for (i = 0; i < b->nr + b->fresh; i++) {
		if (b->at[i].x < w->from || b->at[i].x > w->to)
			continue;
		dx = b->at[i].x - w->t;
		l->y[l->nr] = b->at[i].y - wander * dx * dx / 2;
		l->rate[l->nr++] = -dx;
	}
	return 0;
}

void ktrace_lines_free(struct lines *l)
{
	free(l->y);
	free(l->rate);
	*l = (struct lines){ 0 };
}

/* Returns the largest of the functions at @sign * @m; of several, one with @wants_high slope. */
static struct tangent touch(const struct lines *l, double m, double sign, bool wants_high)
{
	struct tangent best = { .m = m, .y = -INFINITY };
	double y, slope;
	size_t i;

	for (i = 0; i < l->nr; i++) {
		slope = sign * l->rate[i];
		y = l->y[i] + m * slope;
		if (y > best.y || (y == best.y && (slope > best.slope) == wants_high))
			best = (struct tangent){ m, y, slope };
	}
	return best;
}

/* struct sides - both functions; those of upper bounds are of -o, whose rate is -m */
struct sides {
	const struct lines *lower;
	const struct lines *upper;
};

static struct tangent touch_sum(const struct sides *s, double m, bool wants_high)
{
	const struct tangent f = touch(s->lower, m, 1, wants_high);
	const struct tangent g = touch(s->upper, m, -1, wants_high);

	return (struct tangent){ m, f.y + g.y, f.slope + g.slope };
}

/*
 * Finds the first rate from @m on, in the direction @step (1 or -1), at which lines exist. Each
 * tangent of a convex function is below it: its zero never skips one. Returns false if there is no
 * such rate up to @end.
 */
static bool find_rate(const struct sides *s, double *m, double end, int step)
{
	struct tangent at;
	int i;

	for (i = 0; i < STEPS_MAX; i++) {
		at = touch_sum(s, *m, step > 0);
		if (at.y <= ROUNDING)
			return true;
		if (at.slope * step >= 0)
			return false;
		*m -= at.y / at.slope;
		if ((end - *m) * step < 0)
			return false;
	}
	return true;
}

/* Returns the smallest value of the function between two rates, or a little less. */
static double least(const struct lines *l, double from, double to, double sign)
{
	struct tangent a = touch(l, from, sign, true), b = touch(l, to, sign, false), c;
	double m, floor;
	int i;

	if (a.slope >= 0 || !l->nr)
		return a.y;
	if (b.slope <= 0)
		return b.y;
	for (i = 0;; i++) {
		m = (a.y - b.y + b.slope * b.m - a.slope * a.m) / (b.slope - a.slope);
		floor = a.y + a.slope * (m - a.m);
		c = touch(l, m, sign, true);
		if (i == STEPS_MAX || c.y <= floor + ROUNDING)
			return floor;
		if (c.slope < 0)
			a = c;
		else
			b = c;
	}
}

/**
 * ktrace_lines_fit - find the lines that respect all bounds, with rates up to @max_rate
 *
 * Return: false if there are none.
 */
bool ktrace_lines_fit(const struct lines *lower, const struct lines *upper, double max_rate,
		      struct offset_range *out)
{
	const struct sides s = { lower, upper };

	*out = (struct offset_range){ .low_rate = -max_rate, .high_rate = max_rate };
	if (lower->nr && upper->nr &&
	    (!find_rate(&s, &out->low_rate, max_rate, 1) ||
	     !find_rate(&s, &out->high_rate, out->low_rate, -1)))
		return false;
	out->low = least(lower, out->low_rate, out->high_rate, 1);
	out->high = -least(upper, out->low_rate, out->high_rate, -1);
	return true;
}
