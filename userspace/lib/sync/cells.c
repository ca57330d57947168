// SPDX-License-Identifier: LGPL-2.1
/* cells.c - bounds by time, in bounded memory */
#include "cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

#define WIDTH_MIN (double)(1 << 20)	/* ns, of the first cells */

static void free_cell(struct cell *c)
{
	if (c->halves) {
		free_cell(&c->halves[0]);
		free_cell(&c->halves[1]);
		free(c->halves);
	}
	ktrace_bounds_free(&c->side[0]);
	ktrace_bounds_free(&c->side[1]);
	*c = (struct cell){ 0 };
}

static bool is_empty(const struct cell *c)
{
	return !c->halves && !c->side[0].at && !c->side[1].at;
}

/* Tries whether a line respects the bounds of both. Returns 1, 0, -ENOMEM. */
static int fit(const struct cells *c, const struct cell *a, const struct cell *b, double middle)
{
	const struct window all = { -INFINITY, INFINITY, middle };
	struct lines lines[2] = { 0 };
	struct offset_range range;
	int ret = 0, i;

	for (i = 0; i < 2 && !ret; i++) {
		ret = ktrace_lines_add(&lines[i], &a->side[i], &all, c->wander);
		if (!ret)
			ret = ktrace_lines_add(&lines[i], &b->side[i], &all, c->wander);
	}
	if (!ret)
		ret = ktrace_lines_fit(&lines[0], &lines[1], c->max_rate, &range);
	ktrace_lines_free(&lines[0]);
	ktrace_lines_free(&lines[1]);
	return ret;
}

static int pair_up(struct cells *c, struct cell *to, const struct cell *a, const struct cell *b)
{
	struct cell *halves = calloc(2, sizeof(*halves));

	if (!halves)
		return -ENOMEM;
	halves[0] = *a;
	halves[1] = *b;
	*to = (struct cell){ .halves = halves };
	c->halved++;
	return 0;
}

/* Moves the bounds of @from, of whatever depth, to @to. Returns 0, -ENOMEM. */
static int take(struct cells *c, struct cell *to, struct cell *from)
{
	int ret = 0, i;

	for (i = 0; from->halves && i < 2 && !ret; i++)
		ret = take(c, to, &from->halves[i]);
	c->halved -= from->halves && !ret;
	for (i = 0; i < 2 && !ret; i++)
		ret = ktrace_bounds_join(&to->side[i], &from->side[i], c->wander);
	if (!ret)
		free_cell(from);
	return ret;
}

/* Makes one cell of two neighbours, which are empty then. Returns 0, -ENOMEM. */
static int join(struct cells *c, struct cell *to, struct cell *a, struct cell *b, double middle)
{
	const bool has_both = !is_empty(a) && !is_empty(b);
	int ret = a->halves || b->halves ? 0 : has_both ? fit(c, a, b, middle) : 1;

	*to = (struct cell){ 0 };
	if (!ret && c->halved < HALVED_MAX) {
		ret = pair_up(c, to, a, b);
		if (!ret)
			*a = *b = (struct cell){ 0 };
		return ret;
	}
	if (ret >= 0)
		ret = take(c, to, a);
	return ret ? ret : take(c, to, b);
}

/* Makes cells twice as long. Returns 0, -ENOMEM. */
int ktrace_cells_widen(struct cells *c)
{
	struct cell none = { 0 }, joined;
	int ret = 0;
	size_t i;

	for (i = 0; i < c->nr && !ret; i += 2) {
		ret = join(c, &joined, &c->at[i], i + 1 < c->nr ? &c->at[i + 1] : &none,
			   c->from + (double)(i + 1) * c->width);
		if (ret)
			free_cell(&joined);
		else
			c->at[i / 2] = joined;
	}
	if (!ret) {
		c->nr = (c->nr + 1) / 2;
		c->width *= 2;
	}
	return ret;
}

static int begin(struct cells *c, double x)
{
	c->at = calloc(CELLS_MAX, sizeof(*c->at));
	if (!c->at)
		return -ENOMEM;
	c->from = x;
	c->width = WIDTH_MIN;
	return 0;
}

/**
 * ktrace_cells_add - add a bound
 *
 * Earlier ones than the first are taken into the first cell.
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_cells_add(struct cells *c, enum side side, struct bound point)
{
	int ret = c->at ? 0 : begin(c, point.x);
	struct cell *cell;
	double from, width;
	size_t i;

	while (!ret && point.x - c->from >= c->width * CELLS_MAX)
		ret = ktrace_cells_widen(c);
	if (ret)
		return ret;
	i = point.x > c->from ? (size_t)((point.x - c->from) / c->width) : 0;
	i = i < CELLS_MAX ? i : CELLS_MAX - 1;
	c->nr = i < c->nr ? c->nr : i + 1;
	cell = &c->at[i];
	from = c->from + (double)i * c->width;
	for (width = c->width / 2; cell->halves; width /= 2) {
		i = point.x >= from + width;
		from += i ? width : 0;
		cell = &cell->halves[i];
	}
	return ktrace_bounds_add(&cell->side[side], point, c->wander);
}

/* struct leaves - a growing list */
struct leaves {
	struct leaf *at;
	size_t nr;
	size_t cap;
};

static int add_leaves(const struct cells *c, struct leaves *l, struct cell *cell, double from,
		      double width)
{
	int ret;

	if (cell->halves) {
		ret = add_leaves(c, l, &cell->halves[0], from, width / 2);
		return ret ? ret : add_leaves(c, l, &cell->halves[1], from + width / 2, width / 2);
	}
	if (is_empty(cell))
		return 0;
	if (!LIST_GROW(l->at, l->nr, l->cap))
		return -ENOMEM;
	ktrace_bounds_trim(&cell->side[0], c->wander);
	ktrace_bounds_trim(&cell->side[1], c->wander);
	l->at[l->nr++] = (struct leaf){ from, from + width, cell->side };
	return 0;
}

/**
 * ktrace_cells_leaves - list the cells that have bounds, in order of time
 * @out:	to be freed; valid until a bound is added
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_cells_leaves(struct cells *c, struct leaf **out, size_t *nr)
{
	struct leaves l = { 0 };
	int ret = 0;
	size_t i;

	for (i = 0; i < c->nr && !ret; i++)
		ret = add_leaves(c, &l, &c->at[i], c->from + (double)i * c->width, c->width);
	*out = l.at;
	*nr = l.nr;
	return ret;
}

void ktrace_cells_free(struct cells *c)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		free_cell(&c->at[i]);
	free(c->at);
	*c = (struct cells){ .wander = c->wander, .max_rate = c->max_rate };
}
