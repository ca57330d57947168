/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_lod.h - what each row looks like in each bin of the open nodes
 *
 * Time goes forward. Each bin of a row shows the state that lasts longest, and the number of
 * events. All threads that a CPU runs in a bin count together, or a busy CPU would look idle: if
 * they take most of the bin, it shows the one that runs longest. The piece of a node is stored
 * when the node ends.
 */
#ifndef VIEWER_HTML_HTML_LOD_H
#define VIEWER_HTML_HTML_LOD_H

#include "base/hash_table.h"
#include "html_store.h"
#include "html_tree.h"

#include <stdbool.h>

/* struct html_share - time of a state in the current bin; @is_run: of a CPU that runs a thread */
struct html_share {
	__u32 state;
	bool is_run;
	__u64 ns;
};

/**
 * struct html_runs - values of bins, as runs of equal values
 * @bytes:	runs that have ended: value, length
 * @value:	of the latest run
 * @nr:		length of the latest run
 * @bins:	number of bins in all runs, including the latest
 */
struct html_runs {
	struct bytes bytes;
	__u64 value;
	__u32 nr;
	__u32 bins;
};

/**
 * struct html_lane - one row in one open node
 * @is_open:	it has a state or an event
 * @states:	states that last longest, + 1
 * @shares:	of the bin after @states
 * @share_nr:	how many
 * @share_cap:	room for this many
 * @counts:	numbers of events, as their logarithms
 * @count:	of the bin after @counts
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
 * @lane_nr:	room for this many rows
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
 * @store:	where pieces are stored
 * @states:	table of states; set when the table of rows is made
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
/* Returns when the lowest open node ends; ~0 = none is open. */
__u64 html_lod_end(const struct html_lod *l);
/* Stores the lowest open node, after html_lod_state() for all its rows. */
void html_lod_close(struct html_lod *l, __u32 end_block);
/* Appends what node @node has so far. Returns false if it is not open. */
bool html_lod_peek(const struct html_lod *l, __u32 node, struct bytes *b);
/* Opens the next node, whose first event is in block @block. */
void html_lod_open(struct html_lod *l, __u32 block);
/* Adds a state, + 1, that row @row had in [@from, @to). */
void html_lod_state(struct html_lod *l, __u32 row, __u32 state, __u64 from, __u64 to);
/* Counts an event of @row, ~0 = of none. */
void html_lod_event(struct html_lod *l, __u32 row, __u64 time);
void html_lod_lost(struct html_lod *l, __u64 count, __u64 time);

#endif
