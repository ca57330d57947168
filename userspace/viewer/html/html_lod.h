/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_lod.h - what each row looks like in each bin of the nodes that are open
 *
 * Time goes forward; in each bin of a row the state that lasts longest counts, and how many
 * events it has. All threads that a CPU runs in a bin count together, or it would look idle while
 * it is not: if they take most of the bin, the one that runs longest is shown. When a node ends
 * its piece is stored.
 */
#ifndef VIEWER_HTML_HTML_LOD_H
#define VIEWER_HTML_HTML_LOD_H

#include "base/hash_table.h"
#include "html_store.h"
#include "html_tree.h"

#include <stdbool.h>

/* struct html_share - time of a state in the present bin; @is_run: of a CPU that runs a thread */
struct html_share {
	__u32 state;
	bool is_run;
	__u64 ns;
};

/**
 * struct html_runs - the same value for some bins, one such run after the other
 * @bytes:	runs that have ended: value, length
 * @value:	of the latest
 * @nr:		length of the latest
 * @bins:	of all, the latest included
 */
struct html_runs {
	struct bytes bytes;
	__u64 value;
	__u32 nr;
	__u32 bins;
};

/**
 * struct html_lane - one row in one open node
 * @is_open:	it has something
 * @states:	states that last longest, + 1
 * @shares:	of the bin behind them
 * @share_nr:	how many
 * @share_cap:	for how many there is room
 * @counts:	numbers of events, as their logarithms
 * @count:	of the bin behind them
 */
struct html_lane {
	bool is_open;
	struct html_runs states;
	struct html_share *shares;
	__u32 share_nr;
	__u32 share_cap;
	struct html_runs counts;
	__u64 count;
};

/**
 * struct html_level - the open node of a level
 * @node:	its number
 * @lanes:	by row
 * @lane_nr:	rows there is room for
 * @events:	in each bin
 * @lost:	in each bin
 */
struct html_level {
	__u32 node;
	struct html_lane *lanes;
	__u32 lane_nr;
	__u64 events[HTML_BINS];
	__u64 lost[HTML_BINS];
};

/**
 * struct html_lod - the open nodes
 * @tree:	all nodes
 * @store:	where pieces go
 * @states:	what states are; set when the table of rows is made
 * @next:	number of the next node to open
 * @levels:	the open ones, from the root on
 * @open_nr:	how many
 * @error:	0, -errno
 */
struct html_lod {
	struct html_tree *tree;
	struct html_store *store;
	const struct hash_table *states;
	__u32 next;
	struct html_level *levels[HTML_DEPTH_MAX];
	__u32 open_nr;
	int error;
};

void html_lod_init(struct html_lod *l, struct html_tree *tree, struct html_store *store);
void html_lod_free(struct html_lod *l);
/* When the lowest open node ends; ~0 = none is open */
__u64 html_lod_end(const struct html_lod *l);
/* Stores the lowest open node; all its rows have been told of. */
void html_lod_close(struct html_lod *l, __u32 end_block);
/*
 * Appends what the open node @node has so far. Return: true, false = it is not open.
 */
bool html_lod_peek(const struct html_lod *l, __u32 node, struct bytes *b);
/* Opens the next node; block @block has its first event. */
void html_lod_open(struct html_lod *l, __u32 block);
/* Row @row was in @state, + 1, in [@from, @to). */
void html_lod_state(struct html_lod *l, __u32 row, __u32 state, __u64 from, __u64 to);
/* An event of @row, ~0 = of none. */
void html_lod_event(struct html_lod *l, __u32 row, __u64 time);
void html_lod_lost(struct html_lod *l, __u64 count, __u64 time);

#endif
