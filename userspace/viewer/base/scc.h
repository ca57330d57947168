/* SPDX-License-Identifier: GPL-2.0 */
/* scc.h - strongly connected components of a directed graph: what cycles are in */
#ifndef VIEWER_BASE_SCC_H
#define VIEWER_BASE_SCC_H

#include <stddef.h>

/**
 * struct graph - nodes, and edges from one to another
 * @nr:		nodes
 * @begin:	@nr + 1 of them; edges begin[n] to begin[n + 1] - 1 begin at node n
 * @to:		by edge: where it ends; @nr: at a node without edges, that is not counted
 */
struct graph {
	size_t nr;
	const size_t *begin;
	const size_t *to;
};

/*
 * By node: of two that can be reached from each other, the number is the same; of others it is
 * not. Takes time as there are nodes and edges. Return: 0, -ENOMEM.
 */
int scc_find(const struct graph *g, size_t *component);

#endif
