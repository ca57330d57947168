/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_tree.h - the ranges of time that a page has at each level of detail
 *
 * A node is a range of time, cut into HTML_BINS bins. The root covers all of the time; a node with
 * more than HTML_LEAF events has up to HTML_CHILDREN children, one for each equal part that has
 * events. All limits are whole ns. Nodes precede their children, which are in order of time; a
 * node's number is its index.
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
 * @end:	first ns after it
 * @events:	how many it has
 * @depth:	0 is the root
 * @parent:	number of its parent, ~0 = none
 * @first_block: first block of events within its time
 * @end_block:	first block after those, HTML_OPEN = not known yet
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
 * @cap:	room for this many
 * @bin:	ns of a bin at the lowest possible level
 * @depth:	of that level
 * @open:	while counting: nodes that contain the latest event, from the root down
 * @open_nr:	how many
 * @end:	the root's end
 */
struct html_tree {
	struct html_node *nodes;
	__u32 nr;
	size_t cap;
	__u64 bin;
	__u32 depth;
	__u32 open[HTML_DEPTH_MAX];
	__u32 open_nr;
	__u64 end;
};

/* Makes the root only, which is a little longer than @span ns. Return: 0, -ENOMEM. */
int html_tree_init(struct html_tree *t, __u64 span);
/* Counts an event at @time, which must not precede the latest one. Return: 0, -ENOMEM. */
int html_tree_count(struct html_tree *t, __u64 time);
/* Ends counting. */
void html_tree_close(struct html_tree *t);
void html_tree_free(struct html_tree *t);

static inline __u64 html_node_bin(const struct html_node *n)
{
	return (n->end - n->begin) / HTML_BINS;
}

#endif
