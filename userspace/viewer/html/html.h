/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html.h - the data of a page that shows traces: see Documentation/html.md
 *
 *   html_tree.h    ranges of time at each level of detail
 *   html_model.h   effects of events on rows
 *   html_hosts.h   messages between hosts, errors of times
 *   html_rows.h    rows and their states
 *   html_lod.h     rows at reduced detail
 *   html_block.h   exact events and changes
 *   html_store.h   pieces, until the page is written or as long as it is served
 *   html_reread.h  events of a served page
 */
#ifndef VIEWER_HTML_HTML_H
#define VIEWER_HTML_HTML_H

#include "events/time_range.h"
#include "html_hosts.h"
#include "html_model.h"
#include "html_reread.h"

/* struct html_loss - events lost; trace and reason are the key */
struct html_loss {
	__u32 trace;
	__u32 reason;
	__u64 count;
};

/*
 * How far a page is. Browsers request a served page while it is made:
 *
 *   HTML_COUNTING	the files are read to find the ranges of time that have many events
 *   HTML_READING	the files are read for everything else
 *   HTML_WHOLE		the page is complete
 */
enum html_stage { HTML_COUNTING, HTML_READING, HTML_WHOLE };

/**
 * struct html - one page
 * @scope:	which events
 * @title:	of the page, NULL = names of the files
 * @is_served:	the page requests pieces by their addresses
 * @answers_sql: the page can ask with SQL
 * @turn:	called now and then while the page is made, to do other work; may be NULL;
 *		returns 0, -errno = stop
 * @turner:	argument of @turn
 * @stage:	how far it is
 * @number:	events read so far
 * @again:	positions of events in the files, if the page is served
 * @set:	the files
 * @begin:	time 0 of the page, in ns since the epoch
 * @span:	ns until its last event
 * @latest:	ns from @begin to the latest event; never goes back
 * @store:	pieces
 * @tree:	nodes
 * @lanes:	levels of detail
 * @rows:	rows
 * @blocks:	events
 * @follow:	models
 * @hosts:	messages between hosts, errors of times
 * @losses:	by file and reason
 * @events:	by file
 */
struct html {
	struct time_range scope;
	const char *title;
	bool is_served;
	bool answers_sql;
	int (*turn)(void *turner);
	void *turner;
	enum html_stage stage;
	__u64 number;
	struct html_reread again;
	struct ktrace_traceset *set;
	__u64 begin;
	__u64 span;
	__u64 latest;
	struct html_store *store;
	struct html_tree tree;
	struct html_lod lanes;
	struct html_options rows;
	struct html_blocks blocks;
	struct html_model follow;
	struct html_hosts hosts;
	struct hash_table losses;
	struct hash_table events;
};

/* The options of a struct html at offset @at of the command's struct */
extern const struct option_row html_options[];
#define HTML_SETS(at) \
	{ html_options, at }, \
	TIME_RANGE_SETS((at) + offsetof(struct html, scope))

/* Reads the files and makes all pieces. Return: 0; -errno, also that of @turn. */
int html_make(struct html *h, struct ktrace_traceset *set);
/*
 * Appends a piece as it is now, deflated; @turn may call this. Return: 0, -ENOENT = no such piece,
 * -errno.
 */
int html_piece(struct html *h, enum html_piece kind, __u32 id, struct bytes *to);
/* Reports why html_make() or html_put_page() failed. */
void html_complain(int error);
void html_free(struct html *h);
/* Returns the number of events of a file, which is given by its number. */
__u64 html_events(const struct html *h, size_t trace);

/* html_order.c: returns the numbers of all rows in display order, to be freed; NULL: no memory */
__u32 *html_row_order(struct html *h);
/* Returns the number of the parent row, HTML_NO_ROW = none. */
__u32 html_row_parent(struct html *h, const struct html_row *row);

/* html_page.c: writes the page, without nodes and blocks if it is served. Return: 0, -errno. */
int html_put_page(struct html *h, struct ktrace_out *out);
/* html_head.c: writes the head. Return: 0, -ENOMEM. */
int html_put_head(struct html *h, struct ktrace_out *out);

#endif
