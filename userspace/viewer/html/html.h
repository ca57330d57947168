/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html.h - the data of a page that shows traces: see Documentation/html.md
 *
 *   html_tree.h    which ranges of time there are at which level of detail
 *   html_model.h  what events do to rows
 *   html_rows.h    the rows, and the states that they are in
 *   html_lod.h   what rows look like from afar
 *   html_block.h   events and changes, exact
 *   html_store.h   where pieces lie until the page is written, or as long as it is served
 *   html_reread.h   events of a page that is served
 */
#ifndef VIEWER_HTML_HTML_H
#define VIEWER_HTML_HTML_H

#include "events/time_range.h"
#include "html_model.h"
#include "html_reread.h"

/* struct html_loss - events lost; trace and reason are the key */
struct html_loss {
	__u32 trace;
	__u32 reason;
	__u64 count;
};

/*
 * How far a page is. One that is served is asked for while it is made:
 *
 *   HTML_COUNTING	files are read to know in which ranges of time there is much
 *   HTML_READING	and for everything else
 *   HTML_WHOLE		nothing more will come
 */
enum html_stage { HTML_COUNTING, HTML_READING, HTML_WHOLE };

/**
 * struct html - one page
 * @scope:	which events
 * @title:	of the page, NULL = names of the files
 * @is_served:	pieces are asked for by their addresses
 * @turn:	called now and then while the page is made: what else there is to do; may be NULL;
 *		returns 0, -errno = that is enough
 * @turner:	for @turn
 * @stage:	how far it is
 * @number:	events read so far
 * @again:	where they are in the files, if the page is served
 * @set:	the files
 * @begin:	ns since the epoch of what is 0 in the page
 * @span:	ns until its last event
 * @latest:	ns since @begin of the latest event, which does not go back
 * @store:	pieces
 * @tree:	nodes
 * @lanes:	levels of detail
 * @rows:	rows
 * @blocks:	events
 * @follow:	models
 * @losses:	by file and reason
 * @events:	by file
 */
struct html {
	struct time_range scope;
	const char *title;
	bool is_served;
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
	struct html_rows rows;
	struct html_blocks blocks;
	struct html_model follow;
	struct hash_table losses;
	struct hash_table events;
};

#define HTML_OPTIONS \
	TIME_RANGE_OPTIONS, \
	{ "title", required_argument, NULL, 'T' }

/* Takes an option of those above in. Returns what is wrong, NULL = nothing. */
const char *html_option(struct html *h, int option);
/* Reads the files and makes all pieces. Return: 0; -errno, also that of @turn. */
int html_make(struct html *h, struct ktrace_traceset *set);
/*
 * Appends a piece as it is now, deflated; @turn may call this. Return: 0, -ENOENT there is none,
 * -errno.
 */
int html_piece(struct html *h, enum html_piece kind, __u32 id, struct bytes *to);
/* Says why that has failed. */
void html_complain(int error);
void html_free(struct html *h);
/* Events of a file, by its number */
__u64 html_events(const struct html *h, size_t trace);

/* html_order.c: numbers of all rows in the order of display, to be freed; NULL: no memory */
__u32 *html_row_order(struct html *h);
/* HTML_NO_ROW = none */
__u32 html_row_parent(struct html *h, const struct html_row *row);

/* html_page.c: the page, without nodes and blocks if it is served. Return: 0, -errno. */
int html_put_page(struct html *h, struct ktrace_out *out);
/* html_head.c: the head. Return: 0, -ENOMEM. */
int html_put_head(struct html *h, struct ktrace_out *out);

#endif
