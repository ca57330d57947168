/* SPDX-License-Identifier: GPL-2.0 */
/* scc.h - strongly connected components of a directed graph, which contain its cycles */
#ifndef VIEWER_BASE_SCC_H
#define VIEWER_BASE_SCC_H

#include <stddef.h>

/**
 * struct graph - nodes, and edges from one to another
 * @nr:		number of nodes
 * @begin:	@nr + 1 indexes; edges begin[n] to begin[n + 1] - 1 start at node n
 * @to:		by edge: the node where it ends; @nr = the edge is ignored
 */
struct graph {
	size_t nr;
	const size_t *begin;
	const size_t *to;
};

/*
 * Numbers the component of each node: equal numbers for nodes that can reach each other, different
 * ones for others. Takes time linear in nodes and edges. Return: 0, -ENOMEM.
 */
int scc_find(const struct graph *g, size_t *component);

#endif
