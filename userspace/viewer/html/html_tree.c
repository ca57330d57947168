// SPDX-License-Identifier: GPL-2.0
/*
 * html_tree.c - the ranges of time that a page has at each level of detail
 *
 * Events are counted in order of time, so that one node of each level is open at a time. Whether a
 * node needs the nodes below it is known only when it ends. Until then they are kept: on each
 * level, no more than it has events.
 */
#include "html_tree.h"

#include "base/grow.h"

#include <errno.h>
#include <stdlib.h>

#define SPAN_MAX (1ull << 62)

static __u64 width(const struct html_tree *t, __u32 depth)
{
	__u64 ns = HTML_BINS * t->bin;
	__u32 i;

	for (i = depth; i < t->depth; i++)
		ns *= HTML_CHILDREN;
	return ns;
}

static int add_node(struct html_tree *t, __u64 begin)
{
	if (!LIST_GROW(t->nodes, t->nr, t->cap))
		return -ENOMEM;
	t->nodes[t->nr] = (struct html_node){
		.begin = begin, .end = begin + width(t, t->open_nr), .depth = t->open_nr,
		.parent = t->open_nr ? t->open[t->open_nr - 1] : ~0u,
	};
	t->open[t->open_nr++] = t->nr++;
	return 0;
}

int html_tree_init(struct html_tree *t, __u64 span)
{
	__u64 ns = HTML_BINS;
	int ret;

	*t = (struct html_tree){ 0 };
	/* A damaged file may claim a longer time than a root can have. */
	span = span < SPAN_MAX ? span : SPAN_MAX;
	/* Add levels while a bin of the lowest has 16 ns or more, which wastes little. */
	while (span / (ns * HTML_CHILDREN) >= HTML_CHILDREN) {
		ns *= HTML_CHILDREN;
		t->depth++;
	}
	t->bin = span / ns + 1;
	ret = add_node(t, 0);
	t->end = ret ? 0 : t->nodes[0].end;
	return ret;
}

/* Closes the lowest open node; drops the nodes below it unless it has many events. */
static void close_node(struct html_tree *t)
{
	const __u32 i = t->open[--t->open_nr];
	struct html_node *n = &t->nodes[i];

	if (n->events <= HTML_LEAF)
		t->nr = i + 1;
	if (n->parent != ~0u)
		t->nodes[n->parent].events += n->events;
}

int html_tree_count(struct html_tree *t, __u64 time)
{
	struct html_node *n;
	__u64 part;
	int ret;

	while (t->nodes[t->open[t->open_nr - 1]].end <= time)
		close_node(t);
	while (t->open_nr <= t->depth) {
		n = &t->nodes[t->open[t->open_nr - 1]];
		part = (n->end - n->begin) / HTML_CHILDREN;
		ret = add_node(t, n->begin + (time - n->begin) / part * part);
		if (ret)
			return ret;
	}
	t->nodes[t->open[t->open_nr - 1]].events++;
	return 0;
}

void html_tree_close(struct html_tree *t)
{
	__u32 i;

	while (t->open_nr)
		close_node(t);
	/* From now on, @events counts the events shown in a node. */
	for (i = 0; i < t->nr; i++)
		t->nodes[i].events = 0;
}

void html_tree_free(struct html_tree *t)
{
	free(t->nodes);
	*t = (struct html_tree){ 0 };
}
