// SPDX-License-Identifier: LGPL-2.1
/*
 * pair.c - the offset between two clocks at any time
 *
 * At a time x it is between the lowest and the highest line that respect all bounds around x, each
 * weakened by what the rate may have changed in between (bounds.h). Bounds that are so far away
 * that they say nothing any more are left out.
 */
#include "pair.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/grow.h"

#define REACH_MIN ((double)NS_PER_S)
#define REACH_MAX (3600.0 * (double)NS_PER_S)
#define CELLS_IN_REACH 16
#define LOOSEN_MAX 16
#define TRIP_ERROR 0.125	/* of a round trip: as much as its length may be wrong */
#define HOLE 0.9	/* of a step: as long as a hole that it leaves has to be */

void ktrace_pair_init(struct pair *p, __u32 first, __u32 second, double wander, double max_rate)
{
	*p = (struct pair){
		.host = { first, second }, .shortest = INFINITY, .least_trip = INFINITY,
		.cells = { .wander = wander, .max_rate = max_rate },
	};
}

/* @gap: time from one message to the next, in which one clock may run slower than the other */
static void count_trip(struct pair *p, double ns, double gap)
{
	const int power = ns >= 2 ? ilogb(ns) : 0;

	p->least_trip = fmin(p->least_trip, ns);
	if (gap * p->cells.max_rate > ns * TRIP_ERROR)
		return;
	p->trips[power < (int)TRIP_BITS ? power : (int)TRIP_BITS - 1]++;
	p->shortest = fmin(p->shortest, ns);
}

/* A message to the second host and the next one back are a round trip. */
static int sample(struct pair *p, enum side side, struct bound b)
{
	double trip;

	if (side == SIDE_LOWER) {
		p->pending = b;
		p->is_pending = true;
		return 0;
	}
	if (!p->is_pending || b.x < p->pending.x)
		return 0;
	p->is_pending = false;
	trip = -b.y - p->pending.y;
	if (trip < 0)
		return 0;
	count_trip(p, trip, b.x - p->pending.x);
	return ktrace_regression_add(&p->regression, (b.x + p->pending.x) / 2,
				     (p->pending.y - b.y) / 2);
}

/**
 * ktrace_pair_message - take in a message
 * @side:	SIDE_LOWER: to the second host, SIDE_UPPER: to the first one
 * @x:		when the second host received or sent it, by its clock, ns
 * @other:	when the first host sent or received it, by its clock, ns
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_pair_message(struct pair *p, enum side side, double x, double other)
{
	const struct bound b = { x, side == SIDE_LOWER ? other - x : x - other };
	int ret = ktrace_cells_add(&p->cells, side, b);

	p->messages[side]++;
	return ret ? ret : sample(p, side, b);
}

/* Takes in that the offset at @x is between @low and @high. Returns 0, -ENOMEM. */
int ktrace_pair_tie(struct pair *p, double x, double low, double high)
{
	int ret = ktrace_cells_add(&p->cells, SIDE_LOWER, (struct bound){ x, low });

	p->ties++;
	count_trip(p, high - low, 0);
	return ret ? ret : ktrace_cells_add(&p->cells, SIDE_UPPER, (struct bound){ x, -high });
}

static double middle(const struct leaf *l)
{
	return l->from + (l->to - l->from) / 2;
}

/*
 * Fits lines to what the leaves @first to @last have in a window, and to @far. Returns 1, 0: there
 * are none, -ENOMEM.
 */
static int fit(struct pair *p, size_t first, size_t last, const struct window *w, double wander,
	       struct offset_range *out)
{
	int ret = 0, k;
	size_t i;

	for (k = 0; k < 2 && !ret; k++) {
		p->scratch[k].nr = 0;
		ret = ktrace_lines_add(&p->scratch[k], &p->far[k], w, wander);
		for (i = first; i <= last && !ret; i++)
			ret = ktrace_lines_add(&p->scratch[k], &p->leaves[i].side[k], w, wander);
	}
	p->error = ret ? ret : p->error;
	return ret ? ret : ktrace_lines_fit(&p->scratch[0], &p->scratch[1], p->cells.max_rate, out);
}

static int agree(struct pair *p, size_t first, size_t last, const struct window *w)
{
	struct offset_range range;

	return fit(p, first, last, w, p->cells.wander, &range);
}

/* True, as agree(), if all bounds of the leaves do. */
static int leaves_agree(struct pair *p, size_t first, size_t last)
{
	const struct window all = { -INFINITY, INFINITY, middle(&p->leaves[last]) };

	return agree(p, first, last, &all);
}

static int add_run(struct pair *p, size_t *cap, size_t first, size_t last)
{
	if (!LIST_GROW(p->runs, p->run_nr, *cap))
		return -ENOMEM;
	p->runs[p->run_nr++] = (struct run){
		.first = first, .last = last, .from = -INFINITY, .to = INFINITY,
	};
	return 0;
}

/* Adds the bounds of a leaf to those far away. Returns 0, -ENOMEM. */
static int add_far(struct pair *p, const struct leaf *l)
{
	int ret = 0, k;
	__u32 i;

	for (k = 0; k < 2; k++)
		for (i = 0; i < l->side[k].nr && !ret; i++)
			ret = ktrace_bounds_add(&p->far[k], l->side[k].at[i], p->cells.wander);
	return ret;
}

static void clear_far(struct pair *p)
{
	ktrace_bounds_free(&p->far[0]);
	ktrace_bounds_free(&p->far[1]);
}

/*
 * Finds runs: a leaf begins a new one if it does not agree with those before. Of leaves that are
 * out of reach, only the hull is left: after a long time without messages it is all there is.
 */
static int find_runs(struct pair *p)
{
	size_t begin = 0, from = 0, i, cap = 0;
	bool is_open = false;
	int ret = 0;

	for (i = 0; i < p->leaf_nr && ret >= 0; i++) {
		begin = is_open ? begin : i;
		from = is_open ? from : i;
		for (; from < i && p->leaves[from].to < p->leaves[i].from - p->reach && !ret;)
			ret = add_far(p, &p->leaves[from++]);
		ret = ret ? ret : leaves_agree(p, from, i);
		if (ret == 1) {
			is_open = true;
			ret = 0;
			continue;
		}
		if (is_open && !ret)
			ret = add_run(p, &cap, begin, i - 1);
		clear_far(p);
		begin = from = i;
		is_open = ret >= 0 && leaves_agree(p, i, i) == 1;
	}
	clear_far(p);
	return ret >= 0 && is_open ? add_run(p, &cap, begin, i - 1) : ret < 0 ? ret : 0;
}

static int by_number(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Lists the times of all bounds of some leaves, in order; to be freed. */
static double *list_times(const struct pair *p, size_t first, size_t last, size_t *nr)
{
	const struct bounds *b;
	double *times;
	size_t i, n = 0;
	__u32 k;

	for (i = first; i <= last; i++)
		n += p->leaves[i].side[0].nr + p->leaves[i].side[1].nr;
	times = calloc(n + 1, sizeof(*times));
	for (*nr = 0, i = 2 * first; times && i < 2 * last + 2; i++) {
		b = &p->leaves[i / 2].side[i % 2];
		for (k = 0; k < b->nr; k++)
			times[(*nr)++] = b->at[k].x;
	}
	if (times)
		qsort(times, *nr, sizeof(*times), by_number);
	return times;
}

/* Finds the longest times without a bound before a run, from @i on. */
static void find_hole(struct run *r, const double *times, size_t nr, size_t i)
{
	double length;

	r->hole_from = r->hole_to = times[i];
	for (; i + 1 < nr && times[i + 1] <= r->from; i++) {
		length = times[i + 1] - times[i];
		if (length <= r->hole) {
			r->next_hole = fmax(r->next_hole, length);
			continue;
		}
		r->next_hole = r->hole;
		r->hole = length;
		r->hole_from = times[i];
		r->hole_to = times[i + 1];
	}
}

/*
 * Sets where a run ends and the next one begins. A bound that contradicts those before the change
 * is after it, and the reverse. Bounds in between, which contradict neither, belong to neither run.
 */
static int split_runs(struct pair *p, struct run *a, struct run *b)
{
	const double border = p->leaves[b->first].from;
	const size_t first = a->first, last = b->last;
	struct window w = { a->from, 0, border };
	size_t nr, low, high, i;
	double *times;
	int ret = 1;

	times = list_times(p, first, last, &nr);
	if (!times)
		return -ENOMEM;
	for (low = 0, high = nr - 1; low < high && ret >= 0;) {
		i = low + (high - low) / 2;
		w.to = times[i];
		ret = agree(p, first, last, &w);
		low = ret == 1 ? i + 1 : low;
		high = ret == 1 ? high : i;
	}
	b->from = times[low];
	w.to = INFINITY;
	for (high = low, low = 0; low < high && ret >= 0;) {
		i = low + (high - low + 1) / 2 - 1;
		w.from = times[i];
		ret = agree(p, first, last, &w);
		high = ret == 1 ? i : high;
		low = ret == 1 ? low : i + 1;
	}
	low -= low > 0;
	a->to = times[low];
	a->last = b->first;	/* which may have some of its last bounds */
	find_hole(b, times, nr, low);
	free(times);
	return ret < 0 ? ret : 0;
}

static int range_in(struct pair *p, const struct run *r, double x, struct offset_range *out);

/*
 * If the second clock is set to a later time, it has no stamps in between. If one hole is long
 * enough, the bounds before it are of the run before, although they contradict neither.
 */
static int use_hole(struct pair *p, struct run *a, struct run *b)
{
	struct offset_range before, after;
	int ret = range_in(p, a, b->hole_from, &before);
	double step;

	if (ret == 1)
		ret = range_in(p, b, b->hole_to, &after);
	if (ret != 1)
		return ret < 0 ? ret : 0;
	step = (before.low + before.high - after.low - after.high) / 2;
	if (isfinite(step) && step > 0 && b->hole > HOLE * step && b->next_hole < HOLE * step) {
		a->to = b->hole_from;
		b->from = b->hole_to;
	}
	return 0;
}

/* Joins cells as far as that loses nothing, and lists them. */
static int settle_cells(struct pair *p)
{
	int ret = 0;

	free(p->leaves);
	free(p->runs);
	p->leaves = NULL;
	p->runs = NULL;
	p->run_nr = 0;
	p->reach = p->least_trip < INFINITY ? sqrt(8 * p->least_trip / p->cells.wander) : REACH_MAX;
	p->reach = fmin(fmax(p->reach, REACH_MIN), REACH_MAX);
	while (!ret && p->cells.at && p->cells.nr > 1 &&
	       p->cells.width * 2 < p->reach / CELLS_IN_REACH)
		ret = ktrace_cells_widen(&p->cells);
	return ret ? ret : ktrace_cells_leaves(&p->cells, &p->leaves, &p->leaf_nr);
}

/**
 * ktrace_pair_settle - after the last message, prepare for questions
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_pair_settle(struct pair *p)
{
	int ret = settle_cells(p);
	size_t i;

	if (!ret)
		ret = find_runs(p);
	for (i = 0; i + 1 < p->run_nr && !ret; i++)
		ret = split_runs(p, &p->runs[i], &p->runs[i + 1]);
	for (i = 0; i + 1 < p->run_nr && !ret; i++)
		ret = use_hole(p, &p->runs[i], &p->runs[i + 1]);
	return ret;
}

/* True if a leaf has a bound of one side in a window. */
static bool leaf_has(const struct leaf *l, const struct window *w, int side)
{
	const struct bounds *b = &l->side[side];
	__u32 i = 0;

	while (i < b->nr && (b->at[i].x < w->from || b->at[i].x > w->to))
		i++;
	return i < b->nr;
}

static bool has_side(const struct pair *p, size_t first, size_t last, const struct window *w,
		     int side)
{
	while (first < last && !leaf_has(&p->leaves[first], w, side))
		first++;
	return leaf_has(&p->leaves[first], w, side);
}

/* Finds the range by the leaves of one run. Returns as ktrace_pair_range(). */
static int range_in(struct pair *p, const struct run *r, double x, struct offset_range *out)
{
	const struct window w = { r->from, r->to, x };
	size_t a = r->first, b = r->last;
	double reach = p->reach, wander;
	int ret, i = 0;

	while (a < r->last && p->leaves[a].to < x - reach)
		a++;
	while (b > a && p->leaves[b].from > x + reach)
		b--;
	for (; !has_side(p, a, b, &w, 0) || !has_side(p, a, b, &w, 1); reach *= 2) {
		if (a == r->first && b == r->last)
			break;
		a -= a > r->first;
		b += b < r->last;
	}
	ret = fit(p, a, b, &w, p->cells.wander, out);
	p->loosened += ret == 0;
	for (wander = p->cells.wander; !ret && i < LOOSEN_MAX; i++)
		ret = fit(p, a, b, &w, wander *= 4, out);
	return ret;
}

/* Finds the range of the offset by the bounds of one run. Returns as ktrace_pair_range(). */
int ktrace_pair_range_of(struct pair *p, size_t run, double x, struct offset_range *out)
{
	return range_in(p, &p->runs[run], x, out);
}

/**
 * ktrace_pair_range - find the range of the offset at a time
 * @x:		the time
 * @out:	the range; between two runs it has those of both
 *
 * Return: 1, 2: between two runs, 0: not known, -ENOMEM.
 */
int ktrace_pair_range(struct pair *p, double x, struct offset_range *out)
{
	struct offset_range other;
	size_t i = 0;
	int ret;

	*out = (struct offset_range){ .low = -INFINITY, .high = INFINITY };
	if (!p->run_nr)
		return 0;
	while (i + 1 < p->run_nr && x > p->runs[i].to)
		i++;
	ret = range_in(p, &p->runs[i], x, out);
	if (ret != 1 || !i || x >= p->runs[i].from)
		return ret;
	ret = range_in(p, &p->runs[i - 1], x, &other);
	out->low = fmin(out->low, other.low);
	out->high = fmax(out->high, other.high);
	return ret == 1 ? 2 : ret;
}

/**
 * ktrace_pair_whole - find the range of the offset if its rate is the same throughout
 *
 * That is what the method of one line a pair says.
 *
 * Return: 1, 0: no line respects all bounds, -ENOMEM.
 */
int ktrace_pair_whole(struct pair *p, double x, struct offset_range *out)
{
	const struct window w = { -INFINITY, INFINITY, x };

	return p->leaf_nr ? fit(p, 0, p->leaf_nr - 1, &w, 0, out) : 0;
}

void ktrace_pair_free(struct pair *p)
{
	ktrace_cells_free(&p->cells);
	ktrace_regression_free(&p->regression);
	ktrace_lines_free(&p->scratch[0]);
	ktrace_lines_free(&p->scratch[1]);
	free(p->leaves);
	free(p->runs);
	*p = (struct pair){ 0 };
}
