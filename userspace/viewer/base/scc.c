// SPDX-License-Identifier: GPL-2.0
/*
 * scc.c - strongly connected components of a directed graph, which contain its cycles
 *
 * Tarjan's algorithm (Depth-first search and linear graph algorithms, 1972). It keeps its path in
 * memory instead of on the stack: chains of locks may be long.
 */
#include "scc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define CLOSED SIZE_MAX

/**
 * struct search - one search; arrays are by node, except @path and @open
 * @g:		the graph
 * @component:	the result
 * @order:	order in which the node was met, from 1; 0 = not yet; CLOSED: its component is known
 * @low:	the least order of an open node known to be reachable from it
 * @next:	its next edge to follow
 * @path:	nodes from the start of the search to the current one
 * @depth:	length of @path
 * @open:	nodes that were met and are not yet CLOSED
 * @open_nr:	number of open nodes
 * @met:	number of nodes met
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
