// SPDX-License-Identifier: LGPL-2.1
/* regression.c - sums of samples by time, which add up to those of any window */
#include "regression.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WIDTH_MIN (double)(1 << 24)	/* ns */

static void join(struct moments *to, const struct moments *m)
{
	const double nr = to->nr + m->nr, dx = m->x - to->x, dy = m->y - to->y;
	const double weight = nr ? to->nr * m->nr / nr : 0;

	if (!m->nr)
		return;
	to->xx += m->xx + dx * dx * weight;
	to->xy += m->xy + dx * dy * weight;
	to->yy += m->yy + dy * dy * weight;
	to->x += dx * m->nr / nr;
	to->y += dy * m->nr / nr;
	to->nr = nr;
}

static void widen(struct regression *r)
{
	struct moments sum;
	size_t i;

	for (i = 0; i < REGRESSION_CELLS; i += 2) {
		sum = r->at[i];
		join(&sum, &r->at[i + 1]);
		r->at[i] = r->at[i + 1] = (struct moments){ 0 };
		r->at[i / 2] = sum;
	}
	r->width *= 2;
}

static size_t cell_of(const struct regression *r, double x)
{
	const double i = (x - r->from) / r->width;

	return i <= 0 ? 0 : i < REGRESSION_CELLS ? (size_t)i : REGRESSION_CELLS - 1;
}

/* Returns 0, -ENOMEM. */
int ktrace_regression_add(struct regression *r, double x, double y)
{
	const struct moments sample = { .nr = 1, .x = x, .y = y };

	if (!r->at) {
		r->at = calloc(REGRESSION_CELLS, sizeof(*r->at));
		if (!r->at)
			return -ENOMEM;
		r->from = x;
		r->width = WIDTH_MIN;
	}
	while (x - r->from >= r->width * REGRESSION_CELLS)
		widen(r);
	join(&r->at[cell_of(r, x)], &sample);
	return 0;
}

/* Returns the factor for an interval of 95 % with so many degrees of freedom (Student's t). */
static double student(double freedom)
{
	static const double few[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306 };
	const double z = 1.959964, g = (z * z * z + z) / 4;

	return freedom < 9 ? few[(int)freedom - 1] :
	       z + g / freedom +
	       (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * freedom * freedom);
}

/**
 * ktrace_regression_line - fit a line to the samples around a place
 * @x:		the place, ns
 * @reach:	samples up to about this far from it count, ns
 *
 * Return: false if there are no samples.
 */
bool ktrace_regression_line(const struct regression *r, double x, double reach,
			    struct regression_line *out)
{
	struct moments m = { 0 };
	double rest, dx;
	size_t i;

	for (i = 0; r->at && i < REGRESSION_CELLS; i++)
		if (i >= cell_of(r, x - reach) && i <= cell_of(r, x + reach))
			join(&m, &r->at[i]);
	*out = (struct regression_line){ .error = INFINITY, .samples = m.nr };
	if (!m.nr)
		return false;
	out->rate = m.xx > 0 ? m.xy / m.xx : 0;
	dx = x - m.x;
	out->offset = m.y + out->rate * dx;
	if (m.nr < 3 || m.xx <= 0)
		return true;
	rest = m.yy - m.xy * m.xy / m.xx;
	rest = rest > 0 ? rest / (m.nr - 2) : 0;
	out->error = student(m.nr - 2) * sqrt(rest * (1 / m.nr + dx * dx / m.xx));
	return true;
}

void ktrace_regression_free(struct regression *r)
{
	free(r->at);
	*r = (struct regression){ 0 };
}
