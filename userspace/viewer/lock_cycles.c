// SPDX-License-Identifier: GPL-2.0
/*
 * lock_cycles.c - which locks threads can wait for in a circle
 *
 * Cycles lie in components. One all of whose edges are a single thread's, or were made under one
 * further lock, has no cycle that matters, and is passed over: else a ring of very many locks
 * would be gone round once for each of them. Of others so much is looked at, and no more.
 */
#include "lock_cycles.h"

#include "scc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct danger - what edges have in common
 * @first:	one of them, NULL = there is none yet
 * @is_shared:	others made some
 * @guards:	keys of what was held each time
 */
struct danger {
	const struct lock_edge *first;
	bool is_shared;
	__u64 guards[LOCK_GUARDS];
};

/**
 * struct cycle_search - one search
 * @edges:	of the graph
 * @told:	where cycles go to
 * @graph:	the same, of @begin and @to
 * @begin:	by node: its first edge
 * @to:		by edge: the node where it ends
 * @component:	by node
 * @dangers:	by component
 * @back:	by edge: that by which its end was reached, + 1; 0 = it was not
 * @queue:	edges that were reached
 * @cycle:	edges of the cycle at hand
 * @cycle_nr:	how many
 * @steps:	edges looked at so far
 * @unsearched:	edges through which no cycle was searched
 */
struct cycle_search {
	const struct rows *edges;
	const struct lock_cycles *told;
	struct graph graph;
	size_t *begin;
	size_t *to;
	size_t *component;
	struct danger *dangers;
	size_t *back;
	size_t *queue;
	struct lock_edge **cycle;
	size_t cycle_nr;
	__u64 steps;
	__u64 unsearched;
};

static struct lock_edge *edge_at(const struct cycle_search *s, size_t i)
{
	return rows_at(s->edges, i);
}

int lock_edge_order(const void *x, const void *y)
{
	const struct lock_edge *a = x, *b = y;

	if (a->key.from != b->key.from)
		return a->key.from < b->key.from ? -1 : 1;
	return a->key.to < b->key.to ? -1 : a->key.to > b->key.to;
}

/* The node that a lock is, if edges begin there, else the number of nodes */
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

/* Edges that begin at one lock lie together: each lock of these is a node. */
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

/*
 * The shortest way from where the edge ends to @node, where it begins: into @s->cycle. There is
 * one: both are in one component.
 */
static void find_cycle(struct cycle_search *s, size_t node, size_t first)
{
	size_t head = 0, tail = 1, i, at, end;

	s->queue[0] = first;
	s->back[first] = first + 1;
	while (s->to[s->queue[head]] != node) {
		at = s->queue[head++];
		end = s->to[at];
		s->steps += s->begin[end + 1] - s->begin[end];
		for (i = s->begin[end]; i < s->begin[end + 1]; i++)
			if (!s->back[i] && is_in_cycle(s, end, i)) {
				s->back[i] = at + 1;
				s->queue[tail++] = i;
			}
	}
	s->cycle_nr = 0;
	for (at = s->queue[head]; at != first; at = s->back[at] - 1)
		s->cycle[s->cycle_nr++] = edge_at(s, at);
	s->cycle[s->cycle_nr++] = edge_at(s, first);
	while (tail)
		s->back[s->queue[--tail]] = 0;
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

/* Can it be a deadlock? */
static bool is_dangerous(const struct danger *d)
{
	__u32 i;

	for (i = 0; i < LOCK_GUARDS; i++)
		if (d->guards[i])
			return false;
	return d->is_shared;
}

static bool is_cycle_dangerous(const struct cycle_search *s)
{
	struct danger d = { 0 };
	size_t i;

	for (i = 0; i < s->cycle_nr; i++)
		add_danger(&d, s->cycle[i]);
	return is_dangerous(&d);
}

static void add_dangers(struct cycle_search *s)
{
	size_t node, i;

	for (node = 0; node < s->graph.nr; node++)
		for (i = s->begin[node]; i < s->begin[node + 1]; i++)
			if (is_in_cycle(s, node, i))
				add_danger(&s->dangers[s->component[node]], edge_at(s, i));
}

static void search(struct cycle_search *s, size_t node, size_t edge)
{
	size_t i;

	if (edge_at(s, edge)->is_told || !is_in_cycle(s, node, edge) ||
	    !is_dangerous(&s->dangers[s->component[node]]))
		return;
	if (s->steps > s->told->steps) {
		s->unsearched++;
		return;
	}
	find_cycle(s, node, edge);
	if (!is_cycle_dangerous(s))
		return;
	for (i = 0; i < s->cycle_nr; i++)
		s->cycle[i]->is_told = true;
	s->told->found(s->told->arg, s->cycle, s->cycle_nr);
}

static int search_all(struct cycle_search *s)
{
	const size_t nr = s->edges->nr;
	size_t node, i;

	s->back = calloc(5 * nr + 1, sizeof(*s->back));
	s->dangers = calloc(nr + 1, sizeof(*s->dangers));
	s->cycle = calloc(nr + 1, sizeof(struct lock_edge *));
	if (!s->back || !s->dangers || !s->cycle)
		return -ENOMEM;
	s->queue = s->back + nr;
	s->to = s->queue + nr;
	s->component = s->to + nr;
	s->begin = s->component + nr;
	make_graph(s);
	if (scc_find(&s->graph, s->component))
		return -ENOMEM;
	add_dangers(s);
	for (node = 0; node < s->graph.nr; node++)
		for (i = s->begin[node]; i < s->begin[node + 1]; i++)
			search(s, node, i);
	return 0;
}

int lock_cycles_find(const struct rows *edges, const struct lock_cycles *to, __u64 *unsearched)
{
	struct cycle_search s = { .edges = edges, .told = to };
	int error = search_all(&s);

	*unsearched = s.unsearched;
	free(s.back);
	free(s.dangers);
	free(s.cycle);
	return error;
}
