// SPDX-License-Identifier: LGPL-2.1
/*
 * repair.c - no message is received before it was sent
 *
 * At each knot the times respect all bounds. Between two knots they are on a line, and a bound may
 * be beyond it by a little: then the host gets a knot there.
 */
#include "estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/search.h"

#define ROUNDS 4
#define MARGIN 2.0	/* ns, for rounding to whole ones */

static int by_x(const void *a, const void *b)
{
	const struct knot *k = a, *l = b;

	return (k->x > l->x) - (k->x < l->x);
}

/* struct kink - a host, and a knot that it needs */
struct kink {
	__u32 host;
	struct knot knot;
};

/* struct kinks - all found in a round */
struct kinks {
	struct kink *at;
	size_t nr;
	size_t cap;
};

/*
 * Notes that time @x of a host should be time @t of the reference, if its error and the order of
 * its knots allow that. Returns 0, -ENOMEM.
 */
static int add_kink(struct estimate *e, struct kinks *k, __u32 host, double x, double t)
{
	const struct knot *a = ktrace_host_knot(&e->hosts[host], x);
	const double moved = t - ktrace_estimate_time(e, host, x);
	const double early = fmax(a->early, a[1].early) + moved;
	const double late = fmax(a->late, a[1].late) - moved;

	if (early < -MARGIN || late < -MARGIN || (x > a->x && t < a->t) ||
	    (x < a[1].x && t > a[1].t))
		return 0;
	if (!LIST_GROW(k->at, k->nr, k->cap))
		return -ENOMEM;
	k->at[k->nr++] = (struct kink){
		host, { .x = x, .t = t, .early = fmax(early, 0), .late = fmax(late, 0) }
	};
	return 0;
}

/*
 * Checks a message: the host of @sent must be earlier than that of @received. Returns 1 if it is
 * not, and notes a knot for one of them; 0, -ENOMEM.
 */
static int check(struct estimate *e, struct kinks *k, const __u32 *host, double sent,
		 double received)
{
	const double from = ktrace_estimate_time(e, host[0], sent);
	const double to = ktrace_estimate_time(e, host[1], received);
	int ret;

	if (to >= from + MARGIN / 2)
		return 0;
	ret = e->hosts[host[1]].knot_nr < 2 ?
	      add_kink(e, k, host[0], sent, to - MARGIN) :
	      add_kink(e, k, host[1], received, from + MARGIN);
	return ret ? ret : 1;
}

static int check_side(struct estimate *e, struct kinks *k, struct edge *edge,
		      const struct leaf *leaf, int side)
{
	const struct bounds *b = &leaf->side[side];
	const __u32 *pair = edge->pair.host, hosts[] = { pair[side], pair[1 - side] };
	int ret = 0;
	__u32 i;

	for (i = 0; i < b->nr && ret >= 0; i++) {
		const double x = b->at[i].x, y = b->at[i].y;

		ret = side == SIDE_LOWER ? check(e, k, hosts, x + y, x) :
					   check(e, k, hosts, x, x - y);
		edge->inverted += ret == 1;
	}
	return ret < 0 ? ret : 0;
}

static bool is_placed(const struct estimate *e, __u32 host)
{
	return host == e->reference || e->hosts[host].knot_nr > 1;
}

static int check_all(struct estimate *e, struct kinks *k)
{
	struct edge *edge;
	size_t i, n;
	int ret = 0;

	for (i = 0; i < e->edge_nr && !ret; i++) {
		edge = e->edges[i];
		edge->inverted = 0;
		if (!is_placed(e, edge->pair.host[0]) || !is_placed(e, edge->pair.host[1]))
			continue;
		for (n = 0; n < edge->pair.leaf_nr && !ret; n++) {
			ret = check_side(e, k, edge, &edge->pair.leaves[n], 0);
			if (!ret)
				ret = check_side(e, k, edge, &edge->pair.leaves[n], 1);
		}
	}
	return ret;
}

/* Sorts the new knots in. */
static void sort_knots(struct host *h)
{
	size_t i, n = 0;

	if (h->knot_nr)
		qsort(h->knots, h->knot_nr, sizeof(*h->knots), by_x);
	for (i = 0; i < h->knot_nr; i++) {
		if (n && h->knots[i].x < h->knots[n - 1].x + 1)
			continue;
		h->knots[n] = h->knots[i];
		if (n && h->knots[n].t < h->knots[n - 1].t)
			knot_move(&h->knots[n], h->knots[n - 1].t);
		n++;
	}
	h->knot_nr = n;
}

/* Moves the knot that the host has there already, if it does. */
static bool move_knot(struct host *h, size_t old_nr, const struct knot *new)
{
	const size_t low = PARTITION_POINT(old_nr, k, h->knots[k].x < new->x - 1);
	size_t i;

	for (i = low; i < old_nr && h->knots[i].x < new->x + 1; i++) {
		h->knots[i].t = new->t;
		h->knots[i].early = new->early;
		h->knots[i].late = new->late;
	}
	return i > low;
}

/* Adds the knots of a round. Returns 0, -ENOMEM. */
static int add_knots(struct estimate *e, const struct kinks *k)
{
	size_t *old_nr = calloc(e->nr + 1, sizeof(*old_nr));
	struct host *h;
	int ret = old_nr ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < e->nr && !ret; i++)
		old_nr[i] = e->hosts[i].knot_nr;
	for (i = 0; i < k->nr && !ret; i++) {
		h = &e->hosts[k->at[i].host];
		if (move_knot(h, old_nr[k->at[i].host], &k->at[i].knot))
			continue;
		if (!LIST_GROW(h->knots, h->knot_nr, h->knot_cap))
			ret = -ENOMEM;
		else
			h->knots[h->knot_nr++] = k->at[i].knot;
	}
	for (i = 0; i < e->nr && !ret; i++)
		sort_knots(&e->hosts[i]);
	free(old_nr);
	return ret;
}

/* Adds the knots that messages need; the last round only counts. Returns 0, -ENOMEM. */
int ktrace_repair(struct estimate *e)
{
	struct kinks k = { 0 };
	int ret = 0, round;

	for (round = 1; round <= ROUNDS && !ret; round++) {
		k.nr = 0;
		ret = check_all(e, &k);
		if (ret || !k.nr || round == ROUNDS || e->regresses)
			break;
		ret = add_knots(e, &k);
	}
	free(k.at);
	return ret;
}
