/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_tree.h - which ranges of time a page has at which level of detail
 *
 * A range, a node, is cut into HTML_BINS bins. The root has all of the time; a node with more
 * than HTML_LEAF events has up to HTML_CHILDREN children, one for each equal part of it in which
 * there are events. All limits are whole ns. Nodes stand in front of their children, and these in
 * order of time: a node's number is its place.
 */
#ifndef VIEWER_HTML_HTML_TREE_H
#define VIEWER_HTML_HTML_TREE_H

#include <linux/types.h>
#include <stddef.h>

#define HTML_BINS 1024u
#define HTML_CHILDREN 16u
#define HTML_LEAF 65536u
#define HTML_DEPTH_MAX 16u
#define HTML_OPEN (~0u)

/**
 * struct html_node - one range
 * @begin:	first ns, since the page's beginning
 * @end:	first ns behind it
 * @events:	how many there are
 * @depth:	0 is the root
 * @parent:	number of its parent, ~0 = none
 * @first_block: first block of events that has some of its time
 * @end_block:	first block behind them, HTML_OPEN = not known yet
 */
struct html_node {
	__u64 begin;
	__u64 end;
	__u64 events;
	__u32 depth;
	__u32 parent;
	__u32 first_block;
	__u32 end_block;
};

/**
 * struct html_tree - the ranges
 * @nodes:	all of them
 * @nr:		how many
 * @cap:	for how many there is room
 * @bin:	ns of a bin at the lowest level there may be
 * @depth:	of that level
 * @open:	counting: nodes that the latest event lies in, from the root on
 * @open_nr:	how many
 * @end:	the root's end
 */
struct html_tree {
	struct html_node *nodes;
	__u32 nr;
	__u32 cap;
	__u64 bin;
	__u32 depth;
	__u32 open[HTML_DEPTH_MAX];
	__u32 open_nr;
	__u64 end;
};

/* Nothing but the root, which has @span ns and a bit. Return: 0, -ENOMEM. */
int html_tree_init(struct html_tree *t, __u64 span);
/* An event at @time, not before the latest one. Return: 0, -ENOMEM. */
int html_tree_count(struct html_tree *t, __u64 time);
/* There are no more. */
void html_tree_close(struct html_tree *t);
void html_tree_free(struct html_tree *t);

static inline __u64 html_node_bin(const struct html_node *n)
{
	return (n->end - n->begin) / HTML_BINS;
}

#endif
