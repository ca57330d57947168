/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_block.h - blocks of events and of what changes with them, exact and in order
 *
 * Of a page that is served only what the models say is stored: rows of events, changes, arrows.
 * The events are read from the files again when a block is asked for; see html_reread.h.
 */
#ifndef VIEWER_HTML_HTML_BLOCK_H
#define VIEWER_HTML_HTML_BLOCK_H

#include "html_events.h"
#include "html_store.h"

#include <stdbool.h>

enum html_arrow { HTML_WAKEUP, HTML_FORK, HTML_UNLOCK, HTML_ARROW_NR };

/* struct html_entry - one block in the directory; times since the page's beginning */
struct html_entry {
	__u64 begin;
	__u64 end;
	__u64 first;
	__u32 count;
};

struct html_rows;

/**
 * struct html_blocks - the block at hand, and the directory
 * @store:	where blocks go
 * @rows:	their states begin a block
 * @has_models_only: events are not stored, but which ones they are
 * @kinds:	types and rings met
 * @entries:	directory
 * @nr:		blocks that are stored
 * @cap:	for how many entries there is room
 * @total:	events in all blocks so far
 * @is_open:	there is a block at hand
 * @now:	the block at hand
 * @changed:	time of its latest change
 * @arrived:	end of its latest arrow
 * @changes_nr:	changes in it
 * @arrows_nr:	arrows in it
 * @events:	in it
 * @owners:	rows of its events, + 1, if they are not stored
 * @steps:	their numbers among all events that are read, each counted from the one before
 * @number:	of the latest
 * @begun:	states that it begins with
 * @changes:	of states
 * @arrows:	in it
 * @error:	0, -errno
 */
struct html_blocks {
	struct html_store *store;
	struct html_rows *rows;
	bool has_models_only;
	struct html_kinds kinds;
	struct html_entry *entries;
	__u32 nr;
	__u32 cap;
	__u64 total;
	bool is_open;
	struct html_entry now;
	__u64 changed;
	__u64 arrived;
	__u32 changes_nr;
	__u32 arrows_nr;
	struct html_events events;
	struct bytes owners;
	struct bytes steps;
	__u64 number;
	struct bytes begun;
	struct bytes changes;
	struct bytes arrows;
	int error;
};

void html_blocks_init(struct html_blocks *b, struct html_store *store, struct html_rows *rows);
void html_blocks_free(struct html_blocks *b);
/* Event number @number of all that are read, of row @row, + 1, 0 = of none */
void html_block_event(struct html_blocks *b, const struct ktrace_trace_event *e, __u32 row,
		      __u64 time, __u64 number);
void html_block_change(struct html_blocks *b, __u32 row, __u32 state, __u64 time);

/* struct html_link - an arrow from one row to another */
struct html_link {
	enum html_arrow kind;
	__u32 from;
	__u32 to;
	__u64 begin;
	__u64 end;
};

void html_block_arrow(struct html_blocks *b, const struct html_link *link);
/* The block at hand is stored if it is full. */
void html_block_check(struct html_blocks *b);
/* The block at hand, if there is one, is stored. */
void html_block_close(struct html_blocks *b);

#endif
