// SPDX-License-Identifier: GPL-2.0
/*
 * scc.c - strongly connected components of a directed graph: what cycles are in
 *
 * Tarjan's algorithm (Depth-first search and linear graph algorithms, 1972), with the path that
 * it is on in memory instead of on the stack: chains of locks may be long.
 */
#include "scc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define CLOSED SIZE_MAX

/**
 * struct search - one search; arrays are by node, except @path and @open
 * @g:		the graph
 * @component:	what is found
 * @order:	as which node it was met, from 1; 0 = not yet; CLOSED: its component is known
 * @low:	the least order of an open node that can be reached from it, as far as is known
 * @next:	its edge to go on with
 * @path:	nodes from where the search began to where it is
 * @depth:	how many
 * @open:	nodes that were met and are not CLOSED
 * @open_nr:	how many
 * @met:	nodes that were met
 */
struct search {
	const struct graph *g;
	size_t *component;
	size_t *order;
	size_t *low;
	size_t *next;
	size_t *path;
	size_t depth;
	size_t *open;
	size_t open_nr;
	size_t met;
};

static void enter(struct search *s, size_t node)
{
	s->order[node] = s->low[node] = ++s->met;
	s->next[node] = s->g->begin[node];
	s->path[s->depth++] = node;
	s->open[s->open_nr++] = node;
}

static void reach(struct search *s, size_t node, size_t order)
{
	if (order < s->low[node])
		s->low[node] = order;
}

static void leave(struct search *s)
{
	size_t node = s->path[--s->depth], member;

	if (s->low[node] == s->order[node])
		do {
			member = s->open[--s->open_nr];
			s->order[member] = CLOSED;
			s->component[member] = node;
		} while (member != node);
	else
		reach(s, s->path[s->depth - 1], s->low[node]);
}

static void search_from(struct search *s, size_t first)
{
	size_t node, to;

	enter(s, first);
	while (s->depth) {
		node = s->path[s->depth - 1];
		if (s->next[node] == s->g->begin[node + 1]) {
			leave(s);
			continue;
		}
		to = s->g->to[s->next[node]++];
		if (to == s->g->nr)
			continue;
		if (s->order[to])
			reach(s, node, s->order[to]);
		else
			enter(s, to);
	}
}

int scc_find(const struct graph *g, size_t *component)
{
	size_t *room = calloc(5 * g->nr + 1, sizeof(*room)), node;
	struct search s = { .g = g, .component = component, .order = room };

	if (!room)
		return -ENOMEM;
	s.low = s.order + g->nr;
	s.next = s.low + g->nr;
	s.path = s.next + g->nr;
	s.open = s.path + g->nr;
	for (node = 0; node < g->nr; node++)
		if (!s.order[node])
			search_from(&s, node);
	free(room);
	return 0;
}
