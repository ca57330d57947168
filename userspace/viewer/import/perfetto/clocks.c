// SPDX-License-Identifier: GPL-2.0
/* clocks.c - a graph of clocks, linked by the snapshots that two of them share */
#include "clocks.h"

#include "base/grow.h"
#include "base/search.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* Maximum length of a way */
#define STEPS_MAX 8u
/* Pairs of all links together: a week of six clocks every ten seconds */
#define PAIRS_MAX (2u << 20)
/* One more for each so many bytes of input: more than snapshots of only four clocks need */
#define PAIRS_RATIO 4u
#define LINKS_MAX (256u << 10)

/* struct pair - readings of both clocks at one moment; order: in which pairs were added */
struct pair {
	__u64 from;
	__u64 to;
	size_t order;
};

/*
 * struct clock - a clock; id is the key
 * links: numbers of the links that begin here
 * steps: length of the way to the end, 0 = none; step: its first link
 */
struct clock {
	struct clock_id id;
	bool went_back;
	__u32 *links;
	__u32 link_nr;
	__u32 steps;
	__u32 step;
};

/*
 * struct link - two clocks; from and to are the key
 * pairs: in order of arrival until needed, then sorted by their first reading; last: the latest
 */
struct link {
	struct clock_id from;
	struct clock_id to;
	struct pair *pairs;
	struct pair last;
	bool is_unsorted;
	size_t nr;
	size_t cap;
};

void clocks_init(struct clocks *c, size_t size)
{
	c->clocks = (struct hash_table)HASH_TABLE_INIT(struct clock, id);
	c->links = (struct hash_table)HASH_TABLE_INIT(struct link, to);
	c->pairs_left = PAIRS_MAX + size / PAIRS_RATIO;
}

void clocks_free(struct clocks *c)
{
	hash_table_free_with(&c->clocks, offsetof(struct clock, links));
	hash_table_free_with(&c->links, offsetof(struct link, pairs));
}

static int begin_link(struct clocks *c, struct clock_id from, __u32 number)
{
	struct clock *clock = hash_table_get(&c->clocks, &from);
	__u32 *new;

	if (!clock)
		return -ENOMEM;
	/* The capacity is a power of two. */
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
	struct link *link = hash_table_get(&c->links, &key);
	struct clock *clock;

	if (!link || !hash_table_get(&c->clocks, &to->clock))
		return -ENOMEM;
	clock = hash_table_get(&c->clocks, &from->clock);
	if (!clock)
		return -ENOMEM;
	if (c->links.nr != links && begin_link(c, from->clock, (__u32)links))
		return -ENOMEM;
	/* If both readings are earlier, the snapshots are out of order instead. */
	if (link->nr && from->ns < link->last.from && to->ns > link->last.to)
		clock->went_back = true;
	if (!LIST_GROW(link->pairs, link->nr, link->cap))
		return -ENOMEM;
	if (link->nr && (__s64)from->ns < (__s64)link->pairs[link->nr - 1].from)
		link->is_unsorted = true;
	link->last = (struct pair){ .from = from->ns, .to = to->ns, .order = link->nr };
	link->pairs[link->nr++] = link->last;
	return 0;
}

int clocks_add(struct clocks *c, const struct clock_reading *readings, size_t nr)
{
	const size_t more = nr ? nr * (nr - 1) : 0;
	int ret = 0;

	if (more > c->pairs_left || c->links.nr + more > LINKS_MAX) {
		c->left_out++;
		return 0;
	}
	c->pairs_left -= more;
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

static struct link *back_of(const struct clocks *c, const struct link *link)
{
	const struct link key = { .from = link->to, .to = link->from };

	return hash_table_find(&c->links, &key);
}

/*
 * Gives each clock next to @at without a way one over @at, and appends it to the @nr clocks in
 * @reached. Returns their new number.
 */
static size_t reach(struct clocks *c, const struct clock *at, struct clock **reached, size_t nr)
{
	const struct link *link;
	struct clock *next;

	for (__u32 i = 0; i < at->link_nr; i++) {
		link = back_of(c, hash_table_at(&c->links, at->links[i]));
		next = link ? hash_table_find(&c->clocks, &link->from) : NULL;
		if (!next || next->steps || next->went_back || is_same(next->id, c->way_end))
			continue;
		next->steps = at->steps + 1;
		next->step = (__u32)(((const char *)link - c->links.at) / (ptrdiff_t)c->links.size);
		reached[nr++] = next;
	}
	return nr;
}

/* Finds the shortest ways from all clocks, breadth first from their end. */
static void find_ways(struct clocks *c, struct clock_id to)
{
	struct clock **reached = calloc(c->clocks.nr, sizeof(struct clock *));
	struct clock *clock;
	size_t nr = 0;

	c->way_end = to;
	c->way_links = c->links.nr;
	for (size_t i = 0; i < c->clocks.nr; i++) {
		clock = hash_table_at(&c->clocks, i);
		clock->steps = 0;
	}
	clock = hash_table_find(&c->clocks, &to);
	if (reached && clock)
		nr = reach(c, clock, reached, 0);
	/* No way leads through a clock that belongs to one sequence. */
	for (size_t i = 0; i < nr; i++)
		if (!reached[i]->id.sequence && reached[i]->steps < STEPS_MAX)
			nr = reach(c, reached[i], reached, nr);
	free(reached);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return ORDER((__s64)x->from, (__s64)y->from) ?: ORDER(x->order, y->order);
}

static void sort_pairs(struct link *link)
{
	if (link->is_unsorted)
		qsort(link->pairs, link->nr, sizeof(*link->pairs), compare_pairs);
	link->is_unsorted = false;
}

/* Returns the last pair not later than @ns, else the first one; stamps may be negative. */
static const struct pair *find_pair(const struct link *link, __u64 ns)
{
	const size_t nr = PARTITION_POINT(link->nr, i, (__s64)link->pairs[i].from <= (__s64)ns);

	return &link->pairs[nr ? nr - 1 : 0];
}

bool clocks_convert(struct clocks *c, struct clock_id from, struct clock_id to, __u64 ns,
		    __u64 *out)
{
	const struct clock *clock = hash_table_find(&c->clocks, &from);
	const struct pair *pair;
	struct link *link;

	*out = ns;
	if (is_same(from, to))
		return true;
	if (!is_same(c->way_end, to) || c->way_links != c->links.nr)
		find_ways(c, to);
	if (!clock || !clock->steps)
		return false;
	while (clock->steps) {
		link = hash_table_at(&c->links, clock->step);
		sort_pairs(link);
		pair = find_pair(link, *out);
		*out = pair->to + (*out - pair->from);
		clock = hash_table_find(&c->clocks, &link->to);
	}
	return true;
}
