/* SPDX-License-Identifier: LGPL-2.1 */
/* statistics_node.h - the nodes of the tree in statistics.c */
#ifndef KTRACE_STATE_STATISTICS_NODE_H
#define KTRACE_STATE_STATISTICS_NODE_H

#include <ktrace/statistics.h>

#include "state.h"

/* Keys below this limit index an array of children: all modes do. */
#define KEYS_SMALL 8u

/* struct node - a node; @pub is first, so the pointers convert. Most nodes are sub-modes. */
struct node {
	struct ktrace_statistic pub;
	struct state_map *by_type;	/* indexes of types, once there are more than TYPES_FEW */
	__u32 last_type;
	__u32 cap;			/* capacity of the children array */
};

/* struct inner - a node above sub-modes; @node is first */
struct inner {
	struct node node;
	struct node *small[KEYS_SMALL];	/* children with small keys */
	struct state_map by_key;	/* indexes of the other children */
	struct node *last;		/* of these, the last one used */
	__u64 last_key;
	union {
		struct {		/* a CPU */
			struct inner *rest;	/* sum of threads not kept; NULL = none */
			__u64 sweep_at;		/* number of threads that triggers a sweep */
		};
		struct {		/* a thread: when it was last seen, for its name */
			__u64 stamp;
			__u32 machine;
		};
	};
};

static inline struct inner *ktrace_node_inner(struct node *n)
{
	return n->pub.level < KTRACE_STATISTIC_SUB ? (struct inner *)n : NULL;
}

static inline bool ktrace_node_is_cpu(const struct node *n)
{
	return n->pub.level == KTRACE_STATISTIC_CPU;
}

/* Returns a new node of @level; NULL without memory. */
struct node *ktrace_node_new(__u32 level);
/* Frees a node and all nodes below it; NULL is allowed. */
void ktrace_node_free(struct node *n);
/* Returns the child with @key, created if missing; NULL without memory, or if @n is NULL. */
struct node *ktrace_node_child(struct inner *n, __u64 key);
/* Rebuilds the index after places of children have changed. */
void ktrace_node_index(struct inner *n);
/* Returns 0 or -ENOMEM. */
int ktrace_node_count(struct node *n, const struct ktrace_event_type *type, __u64 nr);
/* Adds events, and times where they are sums of the children. Returns 0 or -ENOMEM. */
int ktrace_node_add(struct node *n, const struct node *child);
/* Resets the sums before computing them again. */
void ktrace_node_clear(struct node *n);

#endif
