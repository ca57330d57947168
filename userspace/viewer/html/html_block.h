/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_block.h - blocks of events and of the changes they cause, exact and in order
 *
 * For a served page, only the output of the models is stored: rows of events, changes, arrows.
 * The events are read from the files again when a block is requested; see html_reread.h.
 */
#ifndef VIEWER_HTML_HTML_BLOCK_H
#define VIEWER_HTML_HTML_BLOCK_H

#include "html_events.h"
#include "html_store.h"

#include <stdbool.h>

enum html_arrow { HTML_WAKEUP, HTML_FORK, HTML_UNLOCK, HTML_MESSAGE, HTML_RESENT, HTML_BROADCAST,
		  HTML_ARROW_NR };

/* struct html_entry - one block in the directory; times since the page's beginning */
struct html_entry {
	__u64 begin;
	__u64 end;
	__u64 first;
	__u32 count;
};

struct html_options;

/**
 * struct html_blocks - the current block, and the directory
 * @store:	where blocks are stored
 * @rows:	a block begins with their states
 * @has_models_only: store the numbers of events instead of the events
 * @kinds:	types and rings met
 * @entries:	directory
 * @nr:		blocks that are stored
 * @cap:	room for this many entries
 * @total:	events in all blocks so far
 * @is_open:	there is a current block
 * @now:	the current block
 * @changed:	time of its latest change
 * @arrived:	end of its latest arrow
 * @changes_nr:	changes in it
 * @arrows_nr:	arrows in it
 * @events:	in it
 * @owners:	rows of its events, + 1, if the events are not stored
 * @steps:	their numbers among all events read, each as the difference to the previous one
 * @number:	of the latest event
 * @begun:	states at its beginning
 * @changes:	of states
 * @arrows:	in it
 * @error:	0, -errno
 */
struct html_blocks {
	struct html_store *store;
	struct html_options *rows;
	bool has_models_only;
	struct html_kinds kinds;
	struct html_entry *entries;
	__u32 nr;
	size_t cap;
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

void html_blocks_init(struct html_blocks *b, struct html_store *store, struct html_options *rows);
void html_blocks_free(struct html_blocks *b);
/* Adds event number @number of all events read; it belongs to row @row - 1, or none if 0. */
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
/* Stores the current block if it is full. */
void html_block_check(struct html_blocks *b);
/* Stores the current block, if there is one. */
void html_block_close(struct html_blocks *b);

#endif
