// SPDX-License-Identifier: LGPL-2.1
/* bounds.c - keeps of many bounds the few that matter */
#include "bounds.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define FRESH_MAX 32u	/* sorted in together */

static int by_x(const void *a, const void *b)
{
	const struct bound *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

/* True if @b is not above the chord from @a to @c, all of them seen from @a. */
static bool is_inside(const struct bound *a, const struct bound *b, const struct bound *c,
		      double wander)
{
	const double bx = b->x - a->x, cx = c->x - a->x;
	const double by = b->y - a->y - wander * bx * bx / 2;
	const double cy = c->y - a->y - wander * cx * cx / 2;

	return by * cx <= cy * bx;
}

/* Sorts the fresh points in, and drops all that are no vertices. */
void ktrace_bounds_trim(struct bounds *b, double wander)
{
	const __u32 all = b->nr + b->fresh;
	struct bound *at = b->at;
	__u32 i, n = 0;

	if (!b->fresh)
		return;
	qsort(at, all, sizeof(*at), by_x);
	for (i = 0; i < all; i++) {
		while (n && at[n - 1].x == at[i].x)
			n--;
		while (n > 1 && is_inside(&at[n - 2], &at[n - 1], &at[i], wander))
			n--;
		at[n++] = at[i];
	}
	b->nr = n;
	b->fresh = 0;
}

/* Returns 0, -ENOMEM. */
int ktrace_bounds_add(struct bounds *b, struct bound point, double wander)
{
	if (b->fresh == FRESH_MAX)
		ktrace_bounds_trim(b, wander);
	if (!LIST_GROW(b->at, b->nr + b->fresh, b->cap))
		return -ENOMEM;
	b->at[b->nr + b->fresh++] = point;
	return 0;
}

/* Adds the points of @from. Returns 0, -ENOMEM. */
int ktrace_bounds_join(struct bounds *to, const struct bounds *from, double wander)
{
	int ret = 0;
	__u32 i;

	for (i = 0; i < from->nr + from->fresh && !ret; i++)
		ret = ktrace_bounds_add(to, from->at[i], wander);
	ktrace_bounds_trim(to, wander);
	return ret;
}

void ktrace_bounds_free(struct bounds *b)
{
	free(b->at);
	*b = (struct bounds){ 0 };
}
