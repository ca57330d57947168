// SPDX-License-Identifier: LGPL-2.1
/* cells.c - bounds by time, in bounded memory */
#include "cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

#define WIDTH_MIN (double)(1 << 20)	/* ns, of the first cells */
#define NEAREST_MAX 64u		/* so many cells are searched to each side */

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

/* struct around - two cells to be joined, and the others: joined ones before, others after */
struct around {
	struct cell *a;
	struct cell *b;
	size_t before;
	size_t after;
	double middle;
};

/* Adds the bounds of one side that a cell has, of whatever depth. */
static int add_lines(const struct cells *c, struct lines *l, const struct cell *cell, int side,
		     double middle)
{
	const struct window all = { -INFINITY, INFINITY, middle };
	int ret = 0, i;

	for (i = 0; cell->halves && i < 2 && !ret; i++)
		ret = add_lines(c, l, &cell->halves[i], side, middle);
	return ret ? ret : ktrace_lines_add(l, &cell->side[side], &all, c->wander);
}

/*
 * Adds the nearest bounds of one side, before and after two cells that have none: without them
 * nothing would contradict the others.
 */
static int add_nearest(const struct cells *c, struct lines *l, const struct around *w, int side)
{
	size_t nr = l->nr, i;
	int ret = 0;

	for (i = 0; i < w->before && i < NEAREST_MAX && l->nr == nr && !ret; i++)
		ret = add_lines(c, l, &c->at[w->before - 1 - i], side, w->middle);
	nr = l->nr;
	for (i = w->after; i < c->nr && i < w->after + NEAREST_MAX && l->nr == nr && !ret; i++)
		ret = add_lines(c, l, &c->at[i], side, w->middle);
	return ret;
}

/* Tries whether a line respects the bounds of both cells. Returns 1, 0, -ENOMEM. */
static int fit(struct cells *c, const struct around *w)
{
	struct lines *lines = c->scratch;
	struct offset_range range;
	int ret = 0, i;

	for (i = 0; i < 2 && !ret; i++) {
		lines[i].nr = 0;
		ret = add_lines(c, &lines[i], w->a, i, w->middle);
		if (!ret)
			ret = add_lines(c, &lines[i], w->b, i, w->middle);
		if (!ret && !lines[i].nr)
			ret = add_nearest(c, &lines[i], w, i);
	}
	return ret ? ret : ktrace_lines_fit(&lines[0], &lines[1], c->max_rate, &range);
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
static int join(struct cells *c, struct cell *to, const struct around *w)
{
	const bool has_both = !is_empty(w->a) && !is_empty(w->b);
	int ret = w->a->halves || w->b->halves ? 0 : has_both ? fit(c, w) : 1;

	*to = (struct cell){ 0 };
	if (!ret && c->halved < HALVED_MAX) {
		ret = pair_up(c, to, w->a, w->b);
		if (!ret)
			*w->a = *w->b = (struct cell){ 0 };
		return ret;
	}
	if (ret >= 0)
		ret = take(c, to, w->a);
	return ret ? ret : take(c, to, w->b);
}

/* A cell before the last one rarely gets further bounds. */
static void shrink(struct cells *c, struct cell *cell)
{
	for (int i = 0; i < 2 && !cell->halves; i++)
		ktrace_bounds_shrink(&cell->side[i], c->wander);
}

/* Makes cells twice as long. Returns 0, -ENOMEM. */
int ktrace_cells_widen(struct cells *c)
{
	struct cell none = { 0 }, joined;
	int ret = 0;
	size_t i;

	for (i = 0; i < c->nr && !ret; i += 2) {
		const struct around w = {
			.a = &c->at[i], .b = i + 1 < c->nr ? &c->at[i + 1] : &none,
			.before = i / 2, .after = i + 2,
			.middle = c->from + (double)(i + 1) * c->width,
		};

		ret = join(c, &joined, &w);
		if (ret) {
			free_cell(&joined);
			break;
		}
		shrink(c, &joined);
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
	if (i >= c->nr) {
		if (c->nr)
			shrink(c, &c->at[c->nr - 1]);
		c->nr = i + 1;
	}
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
	ktrace_lines_free(&c->scratch[0]);
	ktrace_lines_free(&c->scratch[1]);
	*c = (struct cells){ .wander = c->wander, .max_rate = c->max_rate };
}
