// SPDX-License-Identifier: LGPL-2.1
/* estimate.c - which pairs are good, which host is the reference, and the way to it */
#include "estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/search.h"

#define SAMPLES 33u	/* places at which a pair is tried */

/* Returns 0, -ENOMEM. */
int ktrace_estimate_init(struct estimate *e, __u32 nr)
{
	e->hosts = calloc(nr + 1, sizeof(*e->hosts));
	e->nr = nr;
	return e->hosts ? 0 : -ENOMEM;
}

static struct pair *find_pair(struct estimate *e, __u32 a, __u32 b)
{
	const __u32 first = a < b ? a : b, second = a < b ? b : a;
	struct edge *edge;
	size_t i;

	for (i = 0; i < e->edge_nr; i++)
		if (e->edges[i]->pair.host[0] == first && e->edges[i]->pair.host[1] == second)
			return &e->edges[i]->pair;
	if (!LIST_GROW(e->edges, e->edge_nr, e->edge_cap))
		return NULL;
	edge = calloc(1, sizeof(*edge));
	if (!edge)
		return NULL;
	ktrace_pair_init(&edge->pair, first, second, e->wander, e->max_rate);
	e->edges[e->edge_nr++] = edge;
	return &edge->pair;
}

/**
 * ktrace_estimate_message - take in a message
 * @from:	number of the host that sent it
 * @to:		number of the host that received it
 * @sent:	when, by the sender's clock, ns
 * @received:	when, by the receiver's clock, ns
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_estimate_message(struct estimate *e, __u32 from, __u32 to, double sent, double received)
{
	struct pair *p = find_pair(e, from, to);

	if (!p)
		return -ENOMEM;
	return from < to ? ktrace_pair_message(p, SIDE_LOWER, received, sent) :
			   ktrace_pair_message(p, SIDE_UPPER, sent, received);
}

/**
 * ktrace_estimate_tie - take in that two clocks were compared
 * @host:	number of a host
 * @source:	number of a later one
 * @x:		time of the source, ns
 * @at:		time of the host at that moment, ns
 * @error:	it may be wrong by this much, ns
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_estimate_tie(struct estimate *e, __u32 host, __u32 source, double x, double at,
			double error)
{
	struct pair *p = find_pair(e, host, source);

	return p ? ktrace_pair_tie(p, x, at - x - error, at - x + error) : -ENOMEM;
}

/* Measures how good a pair is. Returns 0, -ENOMEM. */
static int rate_edge(struct edge *edge)
{
	struct pair *p = &edge->pair;
	const struct leaf *last = p->leaf_nr ? &p->leaves[p->leaf_nr - 1] : NULL;
	const double from = last ? p->leaves[0].from : 0, to = last ? last->to : 0;
	struct offset_range r;
	double sum = 0;
	__u32 i, nr = 0;
	int ret;

	for (i = 0; i < SAMPLES; i++) {
		ret = ktrace_pair_range(p, from + (to - from) * i / (SAMPLES - 1), &r);
		if (ret < 0)
			return ret;
		if (!ret || isinf(r.low) || isinf(r.high)) {
			edge->has_one |= ret && (isfinite(r.low) || isfinite(r.high));
			continue;
		}
		sum += (r.high - r.low) / 2;
		edge->max_error = fmax(edge->max_error, (r.high - r.low) / 2);
		nr++;
	}
	edge->error = nr ? sum / nr : INFINITY;
	edge->covered = (double)nr / SAMPLES;
	return 0;
}

/* Returns the other host of an edge with a finite error, HOST_NONE. */
static __u32 over(const struct edge *edge, __u32 host)
{
	const __u32 *pair = edge->pair.host;

	if (isinf(edge->error))
		return HOST_NONE;
	return pair[0] == host ? pair[1] : pair[1] == host ? pair[0] : HOST_NONE;
}

/* Finds the best ways from @root to all hosts (Dijkstra). Returns 0, -ENOMEM. */
static int find_ways(struct estimate *e, __u32 root)
{
	bool *is_done = calloc(e->nr + 1, sizeof(*is_done));
	__u32 i, best;
	size_t k;

	for (i = 0; i < e->nr; i++) {
		e->hosts[i].parent = HOST_NONE;
		e->hosts[i].cost = i == root ? 0 : INFINITY;
	}
	for (;;) {
		best = HOST_NONE;
		for (i = 0; is_done && i < e->nr; i++)
			if (!is_done[i] && isfinite(e->hosts[i].cost) &&
			    (best == HOST_NONE || e->hosts[i].cost < e->hosts[best].cost))
				best = i;
		if (best == HOST_NONE)
			break;
		is_done[best] = true;
		for (k = 0; k < e->edge_nr; k++) {
			const __u32 to = over(e->edges[k], best);
			const double cost = e->hosts[best].cost + e->edges[k]->error;

			if (to == HOST_NONE || is_done[to] || cost >= e->hosts[to].cost)
				continue;
			e->hosts[to].cost = cost;
			e->hosts[to].parent = best;
		}
	}
	for (i = 0; i < e->nr; i++)
		e->hosts[i].is_linked = isfinite(e->hosts[i].cost);
	free(is_done);
	return is_done ? 0 : -ENOMEM;
}

/* Chooses the host that reaches most others, and of several the one with the least error. */
static int choose_reference(struct estimate *e)
{
	double best_cost = INFINITY, cost;
	__u32 i, k, linked, most = 0;
	int ret = 0;

	for (i = 0; i < e->nr && !ret && e->reference == HOST_NONE; i++)
		if (!e->hosts[i].is_virtual)
			e->reference = i;
	for (i = 0; i < e->nr && !ret; i++) {
		if (e->hosts[i].is_virtual)
			continue;
		ret = find_ways(e, i);
		for (cost = linked = k = 0; k < e->nr; k++) {
			linked += e->hosts[k].is_linked && !e->hosts[k].is_virtual;
			cost += e->hosts[k].is_linked ? e->hosts[k].cost : 0;
		}
		if (linked < most || (linked == most && cost >= best_cost))
			continue;
		most = linked;
		best_cost = cost;
		e->reference = i;
	}
	return ret;
}

static void mark_tree(struct estimate *e)
{
	const struct edge *edge;
	size_t k;

	for (k = 0; k < e->edge_nr; k++) {
		edge = e->edges[k];
		e->edges[k]->is_used = isfinite(edge->error) &&
			(e->hosts[edge->pair.host[0]].parent == edge->pair.host[1] ||
			 e->hosts[edge->pair.host[1]].parent == edge->pair.host[0]);
	}
}

/**
 * ktrace_estimate_solve - after the last message, find the knots of all hosts
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_estimate_solve(struct estimate *e)
{
	const bool is_chosen = e->reference != HOST_NONE;
	int ret = 0;
	size_t k;

	for (k = 0; k < e->edge_nr && !ret; k++) {
		ret = ktrace_pair_settle(&e->edges[k]->pair);
		if (!ret)
			ret = rate_edge(e->edges[k]);
	}
	if (!ret && !is_chosen)
		ret = choose_reference(e);
	if (!ret)
		ret = find_ways(e, e->reference);
	if (ret)
		return ret;
	mark_tree(e);
	ret = ktrace_place(e);
	return ret ? ret : ktrace_repair(e);
}

/* Returns the knot before time @x of a host, of which the next one exists; it has at least two. */
const struct knot *ktrace_host_knot(const struct host *h, double x)
{
	const size_t nr = PARTITION_POINT(h->knot_nr, i, h->knots[i].x <= x);
	const size_t at = nr ? nr - 1 : 0;

	return &h->knots[at < h->knot_nr - 1 ? at : h->knot_nr - 2];
}

/* Returns the reference's time at time @x of a host; beyond the knots by the nearest two. */
double ktrace_estimate_time(const struct estimate *e, __u32 host, double x)
{
	const struct host *h = &e->hosts[host];
	const struct knot *a;

	if (h->knot_nr < 2)
		return x;
	a = ktrace_host_knot(h, x);
	return a->t + (x - a->x) * (a[1].t - a->t) / (a[1].x - a->x);
}

void ktrace_estimate_free(struct estimate *e)
{
	size_t i;

	for (i = 0; i < e->edge_nr; i++) {
		ktrace_pair_free(&e->edges[i]->pair);
		free(e->edges[i]);
	}
	free(e->edges);
	for (i = 0; i < e->nr && e->hosts; i++)
		free(e->hosts[i].knots);
	free(e->hosts);
}
