// SPDX-License-Identifier: GPL-2.0
/*
 * lock_cycles.c - finds locks that threads can wait for in a cycle
 *
 * Every cycle is inside a component. A component whose edges were all made by a single thread, or
 * all under one further lock, has no cycle that matters and is skipped: otherwise the search would
 * go round a ring of very many locks once for each of them. In other components the search is
 * limited by its number of steps.
 */
#include "lock_cycles.h"

#include "base/grow.h"
#include "base/scc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of ways in a search for a simple cycle */
#define WAYS_MAX (1u << 20)

/**
 * struct danger - what the edges of a component have in common
 * @first:	the first of them, NULL = there is none yet
 * @is_shared:	several threads made them
 * @guards:	keys of the locks that were held each time
 */
struct danger {
	const struct lock_edge *first;
	bool is_shared;
	__u64 guards[LOCK_GUARDS];
};

/**
 * struct way - a path of edges
 * @edge:	its last edge
 * @before:	index in the queue of the way without that edge; the first way refers to itself
 * @state:	bits of what its edges have in common, see state_of()
 */
struct way {
	size_t edge;
	size_t before;
	__u32 state;
};

/* Bit of a state: threads other than the first edge's made some of the edges */
#define STATE_SHARED (1u << LOCK_GUARDS)

/**
 * struct cycle_search - one search
 * @edges:	edges of the graph
 * @told:	receiver of the cycles
 * @graph:	the graph, made of @begin and @to
 * @begin:	by node: its first edge
 * @to:		by edge: the node where it ends
 * @component:	by node: its component
 * @dangers:	by component: what its edges have in common
 * @seen:	by edge: a bit for each state with which it was reached
 * @queue:	ways found, @nr of them; room for @cap
 * @mark:	by node: it is in the current cycle
 * @cycle:	edges of the current cycle
 * @cycle_nr:	number of these
 * @steps:	edges looked at so far
 * @unsearched:	number of edges whose cycles were not searched for
 */
struct cycle_search {
	const struct hash_table *edges;
	const struct lock_cycles *told;
	struct graph graph;
	size_t *begin;
	size_t *to;
	size_t *component;
	struct danger *dangers;
	__u32 *seen;
	struct way *queue;
	size_t nr, cap;
	bool *mark;
	struct lock_edge **cycle;
	size_t cycle_nr;
	__u64 steps;
	__u64 unsearched;
};

static struct lock_edge *edge_at(const struct cycle_search *s, size_t i)
{
	return hash_table_at(s->edges, i);
}

int lock_edge_order(const void *x, const void *y)
{
	const struct lock_edge *a = x, *b = y;

	return ORDER(a->key.from, b->key.from) ?: ORDER(a->key.to, b->key.to);
}

/* Returns the node of a lock if edges start there, else the number of nodes. */
static size_t node_of(const struct cycle_search *s, __u64 lock)
{
	size_t low = 0, high = s->graph.nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (edge_at(s, s->begin[middle])->key.from < lock)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < s->graph.nr && edge_at(s, s->begin[low])->key.from != lock)
		low = s->graph.nr;
	return low;
}

/* Makes the graph: edges that start at one lock are adjacent, and each such lock is a node. */
static void make_graph(struct cycle_search *s)
{
	size_t i;

	for (i = 0; i < s->edges->nr; i++)
		if (!i || edge_at(s, i)->key.from != edge_at(s, i - 1)->key.from)
			s->begin[s->graph.nr++] = i;
	s->begin[s->graph.nr] = s->edges->nr;
	for (i = 0; i < s->edges->nr; i++)
		s->to[i] = node_of(s, edge_at(s, i)->key.to);
	s->graph.begin = s->begin;
	s->graph.to = s->to;
}

static bool is_in_cycle(const struct cycle_search *s, size_t from, size_t edge)
{
	size_t to = s->to[edge];

	return to < s->graph.nr && s->component[to] == s->component[from];
}

static bool has_guard(const struct lock_edge *e, __u64 guard)
{
	__u32 i;

	for (i = 0; i < LOCK_GUARDS; i++)
		if (e->guards[i] == guard)
			return true;
	return false;
}

static void add_danger(struct danger *d, const struct lock_edge *e)
{
	__u32 i;

	if (!d->first) {
		d->first = e;
		memcpy(d->guards, e->guards, sizeof(d->guards));
	}
	d->is_shared |= e->is_shared || e->tid != d->first->tid;
	for (i = 0; i < LOCK_GUARDS; i++)
		if (!has_guard(e, d->guards[i]))
			d->guards[i] = 0;
}

/* True if it can be a deadlock. */
static bool is_dangerous(const struct danger *d)
{
	__u32 i;

	for (i = 0; i < LOCK_GUARDS; i++)
		if (d->guards[i])
			return false;
	return d->is_shared;
}

static void add_dangers(struct cycle_search *s)
{
	size_t node, i;

	for (node = 0; node < s->graph.nr; node++)
		for (i = s->begin[node]; i < s->begin[node + 1]; i++)
			if (is_in_cycle(s, node, i))
				add_danger(&s->dangers[s->component[node]], edge_at(s, i));
}

/*
 * Returns a bit for each guard of the first edge that @e has, too, and STATE_SHARED if other
 * threads made it.
 */
static __u32 state_of(const struct lock_edge *first, const struct lock_edge *e)
{
	__u32 i, state = e->is_shared || e->tid != first->tid ? STATE_SHARED : 0;

	for (i = 0; i < LOCK_GUARDS; i++)
		if (first->guards[i] && has_guard(e, first->guards[i]))
			state |= 1u << i;
	return state;
}

static int add_way(struct cycle_search *s, size_t edge, size_t before, __u32 state)
{
	if (!LIST_GROW(s->queue, s->nr, s->cap))
		return -ENOMEM;
	s->seen[edge] |= 1u << state;
	s->queue[s->nr++] = (struct way){ edge, before, state };
	return 0;
}

/* Copies the edges of the way @at, the last one first. */
static void take_cycle(struct cycle_search *s, size_t at)
{
	s->cycle_nr = 0;
	for (; at; at = s->queue[at].before)
		s->cycle[s->cycle_nr++] = edge_at(s, s->queue[at].edge);
	s->cycle[s->cycle_nr++] = edge_at(s, s->queue[0].edge);
}

/* True if the way @at visits no lock twice. */
static bool is_simple(struct cycle_search *s, size_t at)
{
	bool is_twice = false;
	size_t i = at;

	do {
		i = s->queue[i].before;
		is_twice |= s->mark[s->to[s->queue[i].edge]];
		s->mark[s->to[s->queue[i].edge]] = true;
	} while (i);
	for (i = at; i;) {
		i = s->queue[i].before;
		s->mark[s->to[s->queue[i].edge]] = false;
	}
	return !is_twice;
}

static bool has_been_at(struct cycle_search *s, size_t at, size_t node)
{
	for (;; at = s->queue[at].before) {
		s->steps++;
		if (s->to[s->queue[at].edge] == node)
			return true;
		if (!at)
			return false;
	}
}

enum found { FOUND_NOTHING, FOUND_CYCLE, FOUND_WALK, FOUND_TOO_MUCH };

/*
 * Finds the shortest way from the edge @first, which starts at @node, back to it that can be a
 * deadlock. Follows only one of the ways with the same last edge and state, so the result may visit
 * a lock twice, and then is not a simple cycle. With @is_exact, follows all ways that visit no lock
 * twice.
 */
static int find_cycle(struct cycle_search *s, size_t node, size_t first, bool is_exact)
{
	const struct lock_edge *e = edge_at(s, first);
	size_t at, end, i;
	__u32 state, own;
	int error;

	while (s->nr)
		s->seen[s->queue[--s->nr].edge] = 0;
	/* An edge shares all of its own guards. */
	error = add_way(s, first, 0, state_of(e, e));
	for (at = 0; at < s->nr && !error; at++) {
		end = s->to[s->queue[at].edge];
		if (end == node)
			continue;	/* a cycle, but not a possible deadlock */
		if (is_exact && (s->steps > s->told->steps || s->nr > WAYS_MAX))
			return FOUND_TOO_MUCH;
		s->steps += s->begin[end + 1] - s->begin[end];
		for (i = s->begin[end]; i < s->begin[end + 1] && !error; i++) {
			own = state_of(e, edge_at(s, i));
			state = (s->queue[at].state & own) |
				((s->queue[at].state | own) & STATE_SHARED);
			if (!is_in_cycle(s, end, i) ||
			    (is_exact ? has_been_at(s, at, s->to[i]) : s->seen[i] >> state & 1))
				continue;
			error = add_way(s, i, at, state);
			if (!error && s->to[i] == node && state == STATE_SHARED) {
				take_cycle(s, s->nr - 1);
				return is_simple(s, s->nr - 1) ? FOUND_CYCLE : FOUND_WALK;
			}
		}
	}
	return error ? error : FOUND_NOTHING;
}

static int search(struct cycle_search *s, size_t node, size_t edge)
{
	int found = FOUND_TOO_MUCH;
	size_t i;

	if (edge_at(s, edge)->is_told || !is_in_cycle(s, node, edge) ||
	    !is_dangerous(&s->dangers[s->component[node]]))
		return 0;
	if (s->steps <= s->told->steps)
		found = find_cycle(s, node, edge, false);
	if (found == FOUND_WALK)
		found = find_cycle(s, node, edge, true);
	s->unsearched += found == FOUND_TOO_MUCH;
	if (found != FOUND_CYCLE)
		return found < 0 ? found : 0;
	for (i = 0; i < s->cycle_nr; i++)
		s->cycle[i]->is_told = true;
	s->told->found(s->told->arg, s->cycle, s->cycle_nr);
	return 0;
}

static int search_all(struct cycle_search *s)
{
	const size_t nr = s->edges->nr;
	size_t node, i;
	int error = 0;

	s->to = calloc(3 * nr + 1, sizeof(*s->to));
	s->seen = calloc(nr + 1, sizeof(*s->seen));
	s->mark = calloc(nr + 1, sizeof(*s->mark));
	s->dangers = calloc(nr + 1, sizeof(*s->dangers));
	s->cycle = calloc(nr + 1, sizeof(struct lock_edge *));
	if (!s->to || !s->seen || !s->mark || !s->dangers || !s->cycle)
		return -ENOMEM;
	s->component = s->to + nr;
	s->begin = s->component + nr;
	make_graph(s);
	if (scc_find(&s->graph, s->component))
		return -ENOMEM;
	add_dangers(s);
	for (node = 0; node < s->graph.nr && !error; node++)
		for (i = s->begin[node]; i < s->begin[node + 1] && !error; i++)
			error = search(s, node, i);
	return error;
}

int lock_cycles_find(const struct hash_table *edges, const struct lock_cycles *to,
		     __u64 *unsearched)
{
	struct cycle_search s = { .edges = edges, .told = to };
	int error = search_all(&s);

	*unsearched = s.unsearched;
	free(s.to);
	free(s.seen);
	free(s.mark);
	free(s.queue);
	free(s.dangers);
	free(s.cycle);
	return error;
}
