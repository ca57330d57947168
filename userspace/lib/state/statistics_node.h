/* SPDX-License-Identifier: LGPL-2.1 */
/* statistics_node.h - the nodes that statistics.c makes its tree of */
#ifndef KTRACE_STATE_STATISTICS_NODE_H
#define KTRACE_STATE_STATISTICS_NODE_H

#include <ktrace/statistics.h>

#include "state.h"

/* Keys below find a child at once: all modes do. */
#define KEYS_SMALL 8u

/* struct node - a node; @pub is first, so that each is the other. Most are sub-modes: no more. */
struct node {
	struct ktrace_statistic pub;
	struct state_map *by_type;	/* places of types, once there are more than TYPES_FEW */
	__u32 last_type;
	__u32 cap;			/* of children */
};

/* struct inner - a node above sub-modes; @node is first */
struct inner {
	struct node node;
	struct node *small[KEYS_SMALL];	/* children by key */
	struct state_map by_key;	/* the others */
	struct node *last;		/* of them, found last */
	__u64 last_key;
	union {
		struct {		/* a CPU */
			struct inner *rest;	/* sum of threads not kept; NULL = none */
			__u64 sweep_at;		/* as many threads */
		};
		struct {		/* a thread: when it was seen last, for its name */
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

/* A node of @level; NULL: no memory */
struct node *ktrace_node_new(__u32 level);
/* With all below it; NULL is allowed. */
void ktrace_node_free(struct node *n);
/* The child with @key, new if there is none; NULL: no memory, or @n is NULL */
struct node *ktrace_node_child(struct inner *n, __u64 key);
/* Places of children have changed: those below are found by key again. */
void ktrace_node_index(struct inner *n);
/* Return: 0, -ENOMEM. */
int ktrace_node_count(struct node *n, const struct ktrace_event_type *type, __u64 nr);
/* Adds events, and times where they are the sum of what is below. Return: 0, -ENOMEM. */
int ktrace_node_add(struct node *n, const struct node *child);
/* Resets the sums, to be computed again. */
void ktrace_node_clear(struct node *n);

#endif
