// SPDX-License-Identifier: GPL-2.0
/* clocks.c - a graph of clocks whose links are the snapshots that two of them have in common */
#include "clocks.h"

#include <errno.h>
#include <stdlib.h>

/* More steps no way has. */
#define STEPS_MAX 8u

/* struct pair - both clocks at one moment */
struct pair {
	__u64 from;
	__u64 to;
};

/*
 * struct clock - a clock; id is the key
 * links: numbers of those that begin here
 * way: the links to way_end, way_nr of them; way_links: how many there were when it was looked for
 */
struct clock {
	struct clock_id id;
	bool went_back;
	__u32 *links;
	__u32 link_nr;
	__u32 way[STEPS_MAX];
	__u32 way_nr;
	struct clock_id way_end;
	size_t way_links;
};

/* struct link - two clocks; from and to are the key. pairs: by their first; last: that came */
struct link {
	struct clock_id from;
	struct clock_id to;
	struct pair *pairs;
	struct pair last;
	size_t nr;
	size_t cap;
};

void clocks_init(struct clocks *c)
{
	c->clocks = (struct rows)ROWS_INIT(struct clock, id);
	c->links = (struct rows)ROWS_INIT(struct link, to);
}

void clocks_free(struct clocks *c)
{
	for (size_t i = 0; i < c->clocks.nr; i++)
		free(((struct clock *)rows_at(&c->clocks, i))->links);
	for (size_t i = 0; i < c->links.nr; i++)
		free(((struct link *)rows_at(&c->links, i))->pairs);
	rows_free(&c->clocks);
	rows_free(&c->links);
}

static int begin_link(struct clocks *c, struct clock_id from, __u32 number)
{
	struct clock *clock = rows_get(&c->clocks, &from);
	__u32 *new;

	if (!clock)
		return -ENOMEM;
	/* Room for a power of two of them */
	if (!(clock->link_nr & (clock->link_nr - 1))) {
		new = realloc(clock->links, (clock->link_nr ? 2 * clock->link_nr : 1) *
			      sizeof(*new));
		if (!new)
			return -ENOMEM;
		clock->links = new;
	}
	clock->links[clock->link_nr++] = number;
	return 0;
}

static int join(struct clocks *c, const struct clock_reading *from, const struct clock_reading *to)
{
	const struct link key = { .from = from->clock, .to = to->clock };
	const size_t links = c->links.nr;
	struct link *link = rows_get(&c->links, &key);
	struct clock *clock;
	struct pair *new;
	size_t at;

	if (!link || !rows_get(&c->clocks, &to->clock))
		return -ENOMEM;
	clock = rows_get(&c->clocks, &from->clock);
	if (!clock)
		return -ENOMEM;
	if (c->links.nr != links && begin_link(c, from->clock, (__u32)links))
		return -ENOMEM;
	/* If both are earlier, it is the snapshots that are out of order. */
	if (link->nr && from->ns < link->last.from && to->ns > link->last.to)
		clock->went_back = true;
	if (link->nr == link->cap) {
		link->cap = link->cap ? 2 * link->cap : 4;
		new = realloc(link->pairs, link->cap * sizeof(*new));
		if (!new)
			return -ENOMEM;
		link->pairs = new;
	}
	link->last = (struct pair){ .from = from->ns, .to = to->ns };
	for (at = link->nr++; at && link->pairs[at - 1].from > from->ns; at--)
		link->pairs[at] = link->pairs[at - 1];
	link->pairs[at] = link->last;
	return 0;
}

int clocks_add(struct clocks *c, const struct clock_reading *readings, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		for (size_t k = 0; k < nr && !ret; k++)
			if (i != k)
				ret = join(c, &readings[i], &readings[k]);
	return ret;
}

static bool is_same(struct clock_id a, struct clock_id b)
{
	return a.sequence == b.sequence && a.id == b.id;
}

/*
 * struct search - breadth first: clocks in the order of being reached
 * reached: their numbers; by: link to each, from: place in reached of where that began
 */
struct search {
	__u32 *reached;
	__u32 *by;
	__u32 *from;
	size_t nr;
};

static size_t number_of(const struct clocks *c, const struct clock *clock)
{
	return (size_t)((const char *)clock - c->clocks.at) / c->clocks.size;
}

static bool was_reached(const struct search *s, size_t number)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->reached[i] == number)
			return true;
	return false;
}

/* Reaches the clocks next to that at place @at. Return: place of @to, 0: it is not among them. */
static size_t reach(struct clocks *c, struct search *s, size_t at, struct clock_id to)
{
	const struct clock *clock = rows_at(&c->clocks, s->reached[at]), *next;
	const struct link *link;

	if (clock->went_back)
		return 0;
	for (__u32 i = 0; i < clock->link_nr; i++) {
		link = rows_at(&c->links, clock->links[i]);
		/* Clocks of other sequences lead nowhere else. */
		if (link->to.sequence && !is_same(link->to, to))
			continue;
		next = rows_find(&c->clocks, &link->to);
		if (!next || was_reached(s, number_of(c, next)))
			continue;
		s->reached[s->nr] = (__u32)number_of(c, next);
		s->by[s->nr] = clock->links[i];
		s->from[s->nr++] = (__u32)at;
		if (is_same(link->to, to))
			return s->nr - 1;
	}
	return 0;
}

static void find_way(struct clocks *c, struct clock *clock, struct clock_id to)
{
	const size_t nr = c->clocks.nr;
	__u32 *memory = calloc(nr, 3 * sizeof(*memory)), back[STEPS_MAX], steps = 0;
	struct search s = { .reached = memory, .by = memory + nr, .from = memory + 2 * nr,
			    .nr = 1 };
	size_t found = 0;

	clock->way_nr = 0;
	clock->way_end = to;
	clock->way_links = c->links.nr;
	if (!memory)
		return;
	s.reached[0] = (__u32)number_of(c, clock);
	for (size_t at = 0; at < s.nr && !found; at++)
		found = reach(c, &s, at, to);
	for (; found && steps < STEPS_MAX; found = s.from[found])
		back[steps++] = s.by[found];
	for (__u32 i = 0; !found && i < steps; i++)
		clock->way[clock->way_nr++] = back[steps - 1 - i];
	free(memory);
}

/* The last pair not later than @ns, otherwise the first */
static const struct pair *find_pair(const struct link *link, __u64 ns)
{
	size_t low = 0, high = link->nr, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (link->pairs[middle].from <= ns)
			low = middle;
		else
			high = middle;
	}
	return &link->pairs[low];
}

bool clocks_convert(struct clocks *c, struct clock_id from, struct clock_id to, __u64 ns,
		    __u64 *out)
{
	struct clock *clock = rows_find(&c->clocks, &from);
	const struct link *link;
	const struct pair *pair;

	*out = ns;
	if (is_same(from, to))
		return true;
	if (!clock)
		return false;
	if (!is_same(clock->way_end, to) || clock->way_links != c->links.nr)
		find_way(c, clock, to);
	for (__u32 i = 0; i < clock->way_nr; i++) {
		link = rows_at(&c->links, clock->way[i]);
		pair = find_pair(link, *out);
		*out = pair->to + (*out - pair->from);
	}
	return clock->way_nr;
}
