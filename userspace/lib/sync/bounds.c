// SPDX-License-Identifier: LGPL-2.1
/* bounds.c - keeps of many bounds the few that matter */
#include "bounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"

#define FRESH_MAX 32u	/* sorted in together */
#define ROOM_MIN 4u	/* less is not worth moving them */

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

/* Makes @point, which is not before the others, a vertex; others may be none any more. */
static void append(struct bounds *b, struct bound point, double wander)
{
	struct bound *at = b->at;
	__u32 n = b->nr;

	while (n && at[n - 1].x == point.x)
		n--;
	while (n > 1 && is_inside(&at[n - 2], &at[n - 1], &point, wander))
		n--;
	at[n++] = point;
	b->nr = n;
}

/*
 * Makes points in order of x, from @from on, vertices or drops them: those before are vertices
 * already.
 */
static void chain(struct bounds *b, __u32 from, __u32 all, double wander)
{
	__u32 i;

	b->nr = from;
	b->fresh = 0;
	for (i = from; i < all; i++)
		append(b, b->at[i], wander);
}

/* Sorts the fresh points in, and drops all that are no vertices. */
void ktrace_bounds_trim(struct bounds *b, double wander)
{
	const __u32 all = b->nr + b->fresh;

	if (!b->fresh)
		return;
	if (all > 1)
		qsort(b->at, all, sizeof(*b->at), by_x);
	chain(b, 0, all, wander);
}

/* Trims, and gives back memory that is not needed. */
void ktrace_bounds_shrink(struct bounds *b, double wander)
{
	__u32 room;

	ktrace_bounds_trim(b, wander);
	room = b->nr > ROOM_MIN ? b->nr : ROOM_MIN;
	if (room < b->cap && LIST_RESIZE(b->at, room))
		b->cap = room;
}

/* True if two vertices say more than @point: most bounds are such. */
static bool says_nothing(const struct bounds *b, const struct bound *point, double wander)
{
	const __u32 next = (__u32)PARTITION_POINT(b->nr, i, b->at[i].x < point->x);

	return next && next < b->nr && b->at[next].x > point->x &&
	       is_inside(&b->at[next - 1], point, &b->at[next], wander);
}

/* Returns 0, -ENOMEM. */
int ktrace_bounds_add(struct bounds *b, struct bound point, double wander)
{
	if (b->fresh == FRESH_MAX)
		ktrace_bounds_trim(b, wander);
	if (says_nothing(b, &point, wander))
		return 0;
	if (!LIST_GROW(b->at, b->nr + b->fresh, b->cap))
		return -ENOMEM;
	/* Most bounds come in order of time. */
	if (!b->fresh && (!b->nr || point.x > b->at[b->nr - 1].x)) {
		append(b, point, wander);
		return 0;
	}
	b->at[b->nr + b->fresh++] = point;
	return 0;
}

/*
 * Adds the points of @from, which are mostly later; @from may be empty afterwards. Returns 0,
 * -ENOMEM.
 */
int ktrace_bounds_join(struct bounds *to, struct bounds *from, double wander)
{
	const __u32 nr = to->nr + to->fresh + from->nr + from->fresh;

	if (!from->nr && !from->fresh)
		return 0;
	if (!to->at) {
		*to = *from;
		*from = (struct bounds){ 0 };
		return 0;
	}
	if (!LIST_GROW(to->at, nr, to->cap))
		return -ENOMEM;
	ktrace_bounds_trim(to, wander);
	ktrace_bounds_trim(from, wander);
	memcpy(to->at + to->nr, from->at, from->nr * sizeof(*from->at));
	if (!to->nr || from->at[0].x > to->at[to->nr - 1].x) {
		chain(to, to->nr, to->nr + from->nr, wander);
	} else {
		to->fresh = from->nr;
		ktrace_bounds_trim(to, wander);
	}
	return 0;
}

void ktrace_bounds_free(struct bounds *b)
{
	free(b->at);
	*b = (struct bounds){ 0 };
}
