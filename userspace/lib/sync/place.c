// SPDX-License-Identifier: LGPL-2.1
/*
 * place.c - finds the knots of all hosts
 *
 * A moment is a time of the reference. The tree of the best pairs says what each host's clock
 * showed then, roughly: its error u is what the times of the reference have to be moved by. The
 * bounds of each pair are bounds of the difference of two errors.
 */
#include "estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/grow.h"

#define MOMENTS_MAX 65536u
#define STEPS_IN_REACH 16
#define SOLVE_STEPS 6
#define SEARCH_STEPS 64
#define WIDTH 1e6	/* ns, of the first interval that is searched */
#define WIDTH_MAX 1e18
#define NEAR 0.5	/* ns */
#define EDGE 1000.0	/* ns from a gap to where its error holds */
#define ROUNDING 1.0	/* ns: times will be whole ones */
#define RATE_MAX 1e-3	/* between a clock and the reference's; larger ones are only simulated */

/* struct moment - a time @t of the reference at which host @host, unless HOST_NONE, showed @x */
struct moment {
	double t;
	__u32 host;
	double x;
};

/**
 * struct place - state of the search
 * @e:		the estimate
 * @order:	hosts, parents first
 * @order_nr:	those that are linked
 * @moments:	in order of time
 * @nr:		how many
 * @cap:	room
 * @step:	distance of moments, ns
 * @x:		of each host at the moment
 * @is_between:	a pair is between two runs: the tree knows best
 * @low:	of the error of each
 * @high:	and its largest value
 * @up:		what hosts with bounds of one side must be moved by, to respect all of them
 * @down:	the same in the other direction, not above 0
 */
struct place {
	struct estimate *e;
	__u32 *order;
	__u32 order_nr;
	struct moment *moments;
	size_t nr;
	size_t cap;
	double step;
	bool is_between;
	double *x;
	double *low;
	double *high;
	double *up;
	double *down;
};

/* Finds the range of the offset by the method wanted. Returns as ktrace_pair_range(). */
static int range_of(const struct estimate *e, struct edge *edge, double x, struct offset_range *r)
{
	struct regression_line line;

	if (!e->regresses)
		return ktrace_pair_range(&edge->pair, x, r);
	if (!ktrace_regression_line(&edge->pair.regression, x, edge->pair.reach, &line))
		return 0;
	*r = (struct offset_range){ line.offset - line.error, line.offset + line.error, 0, 0 };
	return 1;
}

/* Returns the middle of the range, or 0 if there is none. */
static double middle_at(const struct estimate *e, struct edge *edge, double x)
{
	struct offset_range r;

	if (range_of(e, edge, x, &r) <= 0 || isinf(r.low) || isinf(r.high))
		return 0;
	return r.low + (r.high - r.low) / 2;
}

/* Returns the number of the run after @x if @x is between two runs, or 0. */
static size_t gap_at(const struct pair *p, double x)
{
	size_t i;

	for (i = 1; i < p->run_nr; i++)
		if (x > p->runs[i - 1].to && x < p->runs[i].from)
			return i;
	return 0;
}

/* Returns the middle of the range by the bounds of one run, or 0 if there is none. */
static double middle_of(struct pair *p, size_t run, double x)
{
	struct offset_range r;

	if (ktrace_pair_range_of(p, run, x, &r) <= 0 || isinf(r.low) || isinf(r.high))
		return 0;
	return r.low + (r.high - r.low) / 2;
}

/*
 * Returns the offset at a time of the second host. Between two runs, whose bounds there agree with
 * both of them, it changes evenly in the hole.
 */
static double offset_at(const struct estimate *e, struct edge *edge, double x)
{
	struct pair *p = &edge->pair;
	const size_t next = e->regresses ? 0 : gap_at(p, x);
	const struct run *r = &p->runs[next];
	double a, b;

	if (!next)
		return middle_at(e, edge, x);
	if (x <= r->hole_from || x >= r->hole_to)
		return middle_of(p, x <= r->hole_from ? next - 1 : next, x);
	a = middle_of(p, next - 1, r->hole_from);
	b = middle_of(p, next, r->hole_to);
	return a + (b - a) * (x - r->hole_from) / (r->hole_to - r->hole_from);
}

static double first_at(const struct estimate *e, struct edge *edge, double x)
{
	return x + offset_at(e, edge, x);
}

/* Finds the same as second_at() where offsets change too fast for its steps: halves an interval. */
static double search_second(const struct estimate *e, struct edge *edge, double y, double x)
{
	double low = x, high = x, middle, width;
	int i;

	for (width = WIDTH; first_at(e, edge, low) > y && width < WIDTH_MAX; width *= 2)
		low -= width;
	for (width = WIDTH; first_at(e, edge, high) < y && width < WIDTH_MAX; width *= 2)
		high += width;
	for (i = 0; i < SEARCH_STEPS && high - low > NEAR; i++) {
		middle = low + (high - low) / 2;
		if (first_at(e, edge, middle) < y)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Returns the time of the second host at time @y of the first one. */
static double second_at(const struct estimate *e, struct edge *edge, double y)
{
	double x = y, next;
	int i;

	for (i = 0; i < SOLVE_STEPS; i++) {
		next = y - offset_at(e, edge, x);
		if (fabs(next - x) < NEAR)
			return next;
		x = next;
	}
	return search_second(e, edge, y, x);
}

static struct edge *edge_of(const struct estimate *e, __u32 a, __u32 b)
{
	size_t i;

	for (i = 0; i < e->edge_nr; i++) {
		const __u32 *pair = e->edges[i]->pair.host;

		if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a))
			return e->edges[i];
	}
	return NULL;
}

/* Converts time @x of host @from to that of its neighbour @to. */
static double convert(const struct estimate *e, __u32 from, __u32 to, double x)
{
	struct edge *edge = edge_of(e, from, to);

	return edge->pair.host[1] == from ? first_at(e, edge, x) : second_at(e, edge, x);
}

/* Returns the reference's time at time @x of a host. */
static double climb(const struct estimate *e, __u32 host, double x)
{
	const struct host *h = &e->hosts[host];

	if (!h->is_linked)
		return x + h->prior - e->hosts[e->reference].prior;
	for (; h->parent != HOST_NONE; h = &e->hosts[host]) {
		x = convert(e, host, h->parent, x);
		host = h->parent;
	}
	return x;
}

static int add_moment(struct place *p, double t, __u32 host, double x)
{
	if (!LIST_GROW(p->moments, p->nr, p->cap))
		return -ENOMEM;
	p->moments[p->nr++] = (struct moment){ t, host, x };
	return 0;
}

/* Adds a moment at which a host showed @x. */
static int add_moment_of(struct place *p, __u32 host, double x)
{
	return add_moment(p, climb(p->e, host, x), host, x);
}

/* Adds moments around each gap between two runs, so that the large error there is only there. */
static int add_gaps(struct place *p, const struct edge *edge)
{
	const struct pair *pair = &edge->pair;
	int ret = 0;
	size_t i;

	for (i = 1; i < pair->run_nr && !ret; i++) {
		const double from = pair->runs[i - 1].to, to = pair->runs[i].from;
		const double edge_ns = fmin(EDGE, (to - from) / 4);
		const double places[] = { from, from + edge_ns, pair->runs[i].hole_from,
					  pair->runs[i].hole_to, to - edge_ns, to };

		for (size_t k = 0; k < 6 && !ret; k++)
			ret = add_moment_of(p, pair->host[1], places[k]);
	}
	return ret;
}

static int by_time(const void *a, const void *b)
{
	const struct moment *m = a, *n = b;

	return (m->t > n->t) - (m->t < n->t);
}

/* Sets the distance of moments: small beside that in which a pair's bounds count. */
static void set_step(struct place *p, double span)
{
	size_t i;

	p->step = INFINITY;
	for (i = 0; i < p->e->edge_nr; i++)
		p->step = fmin(p->step, p->e->edges[i]->pair.reach / STEPS_IN_REACH);
	p->step = fmax(p->step, span / MOMENTS_MAX);
	p->step = fmax(fmin(p->step, span), 1);
}

/* struct stretch - times of the reference, ns, in which hosts have events */
struct stretch {
	double from;
	double to;
};

static int by_begin(const void *a, const void *b)
{
	const struct stretch *m = a, *n = b;

	return (m->from > n->from) - (m->from < n->from);
}

/* Joins stretches that overlap. Returns how many are left. */
static size_t join_stretches(struct stretch *s, size_t nr)
{
	size_t i, left = 0;

	qsort(s, nr, sizeof(*s), by_begin);
	for (i = 0; i < nr; i++) {
		if (left && s[i].from <= s[left - 1].to)
			s[left - 1].to = fmax(s[left - 1].to, s[i].to);
		else
			s[left++] = s[i];
	}
	return left;
}

/* True if anything is known of a host's clock; another one may be of any time. */
static bool is_tied(const struct estimate *e, __u32 host)
{
	size_t i;

	for (i = 0; i < e->edge_nr; i++)
		if (e->edges[i]->pair.host[0] == host || e->edges[i]->pair.host[1] == host)
			return true;
	return host == e->reference;
}

/* Adds the first and last moment of each host, and lists their stretches. */
static int add_hosts(struct place *p, struct stretch *s, size_t *nr)
{
	const struct estimate *e = p->e;
	int ret = 0;
	__u32 h;

	for (h = 0; h < e->nr && !ret; h++) {
		if (e->hosts[h].is_virtual || !is_tied(e, h))
			continue;
		ret = add_moment_of(p, h, e->hosts[h].begin);
		if (!ret)
			ret = add_moment_of(p, h, e->hosts[h].end);
		if (!ret)
			s[(*nr)++] = (struct stretch){ p->moments[p->nr - 2].t,
						       p->moments[p->nr - 1].t };
	}
	return ret;
}

/* Between recordings of different days are no moments: they would be far apart in each of them. */
static int make_moments(struct place *p)
{
	const struct estimate *e = p->e;
	struct stretch *s = calloc(e->nr + 1, sizeof(*s));
	double span = 0;
	size_t i, k, nr = 0;
	int ret = s ? add_hosts(p, s, &nr) : -ENOMEM;

	nr = ret ? 0 : join_stretches(s, nr);
	for (i = 0; i < nr; i++)
		span += s[i].to - s[i].from;
	set_step(p, span);
	for (k = 0; k < nr; k++)
		for (i = 0; !ret && s[k].from + (double)i * p->step < s[k].to; i++)
			ret = add_moment(p, s[k].from + (double)i * p->step, HOST_NONE, 0);
	free(s);
	for (i = 0; i < e->edge_nr && !ret; i++)
		if (e->edges[i]->is_used && !e->regresses)
			ret = add_gaps(p, e->edges[i]);
	if (p->nr)
		qsort(p->moments, p->nr, sizeof(*p->moments), by_time);
	return ret;
}

/* Lists the linked hosts, parents first. */
static void make_order(struct place *p)
{
	const struct estimate *e = p->e;
	__u32 i, h;

	p->order[p->order_nr++] = e->reference;
	for (i = 0; i < p->order_nr; i++)
		for (h = 0; h < e->nr; h++)
			if (e->hosts[h].is_linked && e->hosts[h].parent == p->order[i])
				p->order[p->order_nr++] = h;
}

/* Sets what each host showed at a moment. */
static void show(struct place *p, const struct moment *m)
{
	const struct estimate *e = p->e;
	__u32 i, h;

	for (h = 0; h < e->nr; h++)
		p->x[h] = m->t + e->hosts[e->reference].prior - e->hosts[h].prior;
	p->x[e->reference] = m->t;
	for (i = 1; i < p->order_nr; i++) {
		h = p->order[i];
		p->x[h] = h == m->host ? m->x :
			  convert(e, e->hosts[h].parent, h, p->x[e->hosts[h].parent]);
	}
}

/*
 * Narrows the errors of two hosts by their pair: when the second one showed its time, the first one
 * was off from its own by @r and @shift, by its own clock. The reference's clock counts up to
 * RATE_MAX more or less for that. Returns 1 if that changes an error, 0, -ENOMEM.
 */
static int narrow(struct place *p, struct edge *edge)
{
	const __u32 a = edge->pair.host[0], b = edge->pair.host[1];
	struct offset_range r;
	int ret = range_of(p->e, edge, p->x[b], &r);
	const double shift = p->x[b] - p->x[a], rate = fmin(p->e->max_rate, RATE_MAX);
	const double old[] = { p->low[a], p->low[b], p->high[a], p->high[b] };
	double low, high;

	if (ret <= 0)
		return ret;
	p->is_between |= ret == 2;
	low = r.low + shift - rate * fabs(r.low + shift);
	high = r.high + shift + rate * fabs(r.high + shift);
	p->high[b] = fmin(p->high[b], p->high[a] + high);
	p->low[b] = fmax(p->low[b], p->low[a] + low);
	p->high[a] = fmin(p->high[a], p->high[b] - low);
	p->low[a] = fmax(p->low[a], p->low[b] - high);
	return p->low[a] > old[0] + NEAR || p->low[b] > old[1] + NEAR ||
	       p->high[a] < old[2] - NEAR || p->high[b] < old[3] - NEAR;
}

/*
 * Finds the shortest paths of bounds to and from the reference. Returns 1, 0 if bounds contradict
 * each other, -ENOMEM.
 */
static int find_errors(struct place *p, bool only_tree)
{
	const struct estimate *e = p->e;
	__u32 h, round;
	int ret = 1;
	size_t i;

	p->is_between = false;
	for (h = 0; h < e->nr; h++) {
		p->low[h] = h == e->reference ? 0 : -INFINITY;
		p->high[h] = h == e->reference ? 0 : INFINITY;
	}
	for (round = 0; round <= e->nr && ret > 0; round++) {
		ret = 0;
		for (i = 0; i < e->edge_nr && ret >= 0; i++) {
			const int n = only_tree && !e->edges[i]->is_used ? 0 :
				      narrow(p, e->edges[i]);

			ret = n < 0 ? n : ret | n;
		}
	}
	for (h = 0; h < e->nr && !ret; h++)
		if (p->low[h] > p->high[h] + 2 * ROUNDING)
			return 0;
	return ret < 0 ? ret : !ret;
}

/* Returns @want, or the nearest value from @low to @high. */
static double clamp(double want, double low, double high)
{
	return fmax(low, fmin(want, high));
}

/* Returns the error by what all clocks are believed to share. */
static double prior_of(const struct place *p, __u32 host, double t)
{
	const struct host *hosts = p->e->hosts;

	return p->x[host] + hosts[host].prior - hosts[p->e->reference].prior - t;
}

/* Notes how far a host without bounds of both sides must be moved. */
static void note_move(struct place *p, __u32 host, double t)
{
	const double prior = prior_of(p, host, t);

	p->up[host] = fmax(p->up[host], p->low[host] - prior + 2 * ROUNDING);
	p->down[host] = fmin(p->down[host], p->high[host] - prior - 2 * ROUNDING);
}

/* Lets the interval of a knot contain what another one at the same place says. */
static void widen_knot(struct knot *k, double low, double high)
{
	k->early = fmax(k->early, k->t - low);
	k->late = fmax(k->late, high - k->t);
}

/*
 * Time must not go back to the last knot. Those before whose interval allows it become as early:
 * they are where a clock was set. Otherwise the last one becomes later.
 */
static void keep_order(struct host *h)
{
	struct knot *last = &h->knots[h->knot_nr - 1], *k = last;

	while (k > h->knots && k[-1].t > last->t && k[-1].early >= k[-1].t - last->t)
		knot_move(--k, last->t);
	if (k > h->knots && k[-1].t > last->t)
		for (; k <= last; k++)
			knot_move(k, fmax(k->t, k[-1].t));
}

static int add_knot(struct place *p, __u32 host, double t)
{
	struct host *h = &p->e->hosts[host];
	const double low = p->low[host], high = p->high[host], x = p->x[host];
	const double bend = p->e->wander * p->step * p->step / 8 + ROUNDING;
	const bool is_unknown = isinf(low) || isinf(high);
	const double error = is_unknown && h->is_linked ? 0 :	/* the tree knows best */
			     is_unknown ? prior_of(p, host, t) + p->up[host] + p->down[host] :
			     p->is_between ? clamp(0, low, high) : low + (high - low) / 2;
	const struct knot *last = h->knot_nr ? &h->knots[h->knot_nr - 1] : NULL;

	if (last && x < last->x + 1) {
		widen_knot(&h->knots[h->knot_nr - 1], t + low, t + high);
		return 0;
	}
	if (!LIST_GROW(h->knots, h->knot_nr, h->knot_cap))
		return -ENOMEM;
	h->knots[h->knot_nr++] = (struct knot){
		.x = x, .t = t + error, .early = error - low + bend, .late = high - error + bend,
	};
	keep_order(h);
	return 0;
}

/* Finds the errors of all hosts at a moment; notes moves of those that need them, or adds knots. */
static int settle_moment(struct place *p, const struct moment *m, bool moves)
{
	struct estimate *e = p->e;
	int ret;
	__u32 h;

	show(p, m);
	ret = find_errors(p, e->regresses);
	if (!ret || (ret > 0 && p->is_between)) {
		e->contradictions += !moves && !ret && !p->is_between;
		ret = find_errors(p, true);
	}
	for (h = 0; h < e->nr && ret >= 0; h++) {
		if (h == e->reference || e->hosts[h].is_virtual ||
		    (!e->hosts[h].is_linked && isinf(p->low[h]) && isinf(p->high[h])))
			continue;
		if (!moves)
			ret = add_knot(p, h, m->t);
		else if (!e->hosts[h].is_linked)
			note_move(p, h, m->t);
	}
	return ret < 0 ? ret : 0;
}

/* Finds the knots of all hosts but the reference. Returns 0, -ENOMEM. */
int ktrace_place(struct estimate *e)
{
	struct place p = { .e = e, .order = calloc(e->nr + 1, sizeof(*p.order)),
			   .x = calloc(5 * (size_t)e->nr + 1, sizeof(*p.x)) };
	int ret = p.order && p.x ? 0 : -ENOMEM;
	size_t i;

	p.low = ret ? NULL : p.x + e->nr;
	p.high = ret ? NULL : p.low + e->nr;
	p.up = ret ? NULL : p.high + e->nr;
	p.down = ret ? NULL : p.up + e->nr;
	if (!ret) {
		make_order(&p);
		ret = make_moments(&p);
	}
	for (i = 0; i < p.nr && !ret && p.order_nr < e->nr; i++)
		ret = settle_moment(&p, &p.moments[i], true);
	for (i = 0; i < p.nr && !ret; i++)
		ret = settle_moment(&p, &p.moments[i], false);
	for (i = 0; i < e->edge_nr && !ret; i++)
		ret = e->edges[i]->pair.error;
	free(p.order);
	free(p.x);
	free(p.moments);
	return ret;
}
