// SPDX-License-Identifier: LGPL-2.1
/* statistics_node.c - nodes of statistics: their children, and their events by type */
#include "statistics_node.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Maximum number of types to search linearly */
#define TYPES_FEW 16u

void ktrace_node_free(struct node *n)
{
	struct inner *inner = n ? ktrace_node_inner(n) : NULL;
	__u32 i;

	if (!n)
		return;
	for (i = 0; i < n->pub.child_nr; i++)
		ktrace_node_free((struct node *)n->pub.children[i]);
	if (inner)
		ktrace_map_free(&inner->by_key);
	if (inner && ktrace_node_is_cpu(n) && inner->rest)
		ktrace_node_free(&inner->rest->node);
	if (n->by_type)
		ktrace_map_free(n->by_type);
	free(n->by_type);
	free(n->pub.children);
	free(n->pub.types);
	free(n);
}

struct node *ktrace_node_new(__u32 level)
{
	const bool is_inner = level < KTRACE_STATISTIC_SUB;
	struct node *n = calloc(1, is_inner ? sizeof(struct inner) : sizeof(struct node));

	if (n)
		n->pub.level = level;
	return n;
}

/* Adds a child to the index; the caller has reserved room for the key. */
static void index_child(struct inner *n, __u32 place)
{
	struct ktrace_statistic *child = n->node.pub.children[place];

	if (child->key < KEYS_SMALL)
		n->small[child->key] = (struct node *)child;
	else
		ktrace_map_set(&n->by_key, child->key, place);
}

void ktrace_node_index(struct inner *n)
{
	__u32 i;

	n->last = NULL;
	memset(n->small, 0, sizeof(n->small));
	ktrace_map_clear(&n->by_key);
	for (i = 0; i < n->node.pub.child_nr; i++)
		index_child(n, i);
}

static struct node *add_child(struct inner *n, __u64 key)
{
	struct node *child = ktrace_node_new(n->node.pub.level + 1), *up = &n->node;

	if (!child || !LIST_GROW(up->pub.children, up->pub.child_nr, up->cap) ||
	    (key >= KEYS_SMALL && ktrace_map_reserve(&n->by_key, 1))) {
		free(child);
		return NULL;
	}
	child->pub.key = key;
	up->pub.children[up->pub.child_nr] = &child->pub;
	index_child(n, up->pub.child_nr++);
	return child;
}

struct node *ktrace_node_child(struct inner *n, __u64 key)
{
	__u32 at;

	if (!n)
		return NULL;
	if (key < KEYS_SMALL)
		return n->small[key] ? n->small[key] : add_child(n, key);
	if (n->last && n->last_key == key)
		return n->last;
	at = ktrace_map_get(&n->by_key, key);
	n->last = at == ~0u ? add_child(n, key) : (struct node *)n->node.pub.children[at];
	n->last_key = key;
	return n->last;
}

static __u32 find_type(const struct node *n, const struct ktrace_event_type *type)
{
	if (n->pub.type_nr > TYPES_FEW)
		return ktrace_map_get(n->by_type, (__u64)(uintptr_t)type);
	for (__u32 i = 0; i < n->pub.type_nr; i++)
		if (n->pub.types[i].type == type)
			return i;
	return ~0u;
}

static int add_type(struct node *n, const struct ktrace_event_type *type)
{
	const __u32 nr = n->pub.type_nr;

	if (!LIST_RESIZE(n->pub.types, nr + 1))
		return -ENOMEM;
	if (nr >= TYPES_FEW && !n->by_type)
		n->by_type = calloc(1, sizeof(*n->by_type));
	if (nr >= TYPES_FEW &&
	    (!n->by_type || ktrace_map_reserve(n->by_type, TYPES_FEW + 1)))
		return -ENOMEM;
	n->pub.types[n->pub.type_nr++] = (struct ktrace_statistic_type){ .type = type };
	for (__u32 i = nr == TYPES_FEW ? 0 : nr; nr >= TYPES_FEW && i <= nr; i++)
		ktrace_map_set(n->by_type, (__u64)(uintptr_t)n->pub.types[i].type, i);
	return 0;
}

int ktrace_node_count(struct node *n, const struct ktrace_event_type *type, __u64 nr)
{
	__u32 at = n->last_type;

	if (at >= n->pub.type_nr || n->pub.types[at].type != type)
		at = find_type(n, type);
	if (at == ~0u) {
		at = n->pub.type_nr;
		if (add_type(n, type))
			return -ENOMEM;
	}
	n->last_type = at;
	n->pub.events += nr;
	n->pub.types[at].events += nr;
	return 0;
}

int ktrace_node_add(struct node *n, const struct node *child)
{
	__u32 i;
	int ret = 0;

	if (n->pub.level < KTRACE_STATISTIC_THREAD || n->pub.level == child->pub.level) {
		n->pub.cpu_ns += child->pub.cpu_ns;
		n->pub.cumulative_ns += child->pub.cumulative_ns;
		n->pub.elapsed_ns += child->pub.elapsed_ns;
		n->pub.wait_ns += child->pub.wait_ns;
		n->pub.wait_cpu_ns += child->pub.wait_cpu_ns;
	}
	for (i = 0; i < child->pub.type_nr && !ret; i++)
		ret = ktrace_node_count(n, child->pub.types[i].type, child->pub.types[i].events);
	return ret;
}

void ktrace_node_clear(struct node *n)
{
	struct ktrace_statistic *pub = &n->pub;

	pub->events = pub->type_nr = 0;
	if (n->by_type)
		ktrace_map_clear(n->by_type);
	if (pub->level < KTRACE_STATISTIC_THREAD)
		pub->cpu_ns = pub->cumulative_ns = pub->elapsed_ns = pub->wait_ns =
			pub->wait_cpu_ns = 0;
}
