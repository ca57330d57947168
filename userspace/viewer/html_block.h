/* SPDX-License-Identifier: GPL-2.0 */
/* html_block.h - blocks of events and of what changes with them, exact and in order */
#ifndef VIEWER_HTML_BLOCK_H
#define VIEWER_HTML_BLOCK_H

#include <ktrace/traceset.h>

#include "html_store.h"
#include "rows.h"

#define HTML_BLOCK_EVENTS 16384u

enum html_arrow { HTML_WAKEUP, HTML_FORK, HTML_UNLOCK, HTML_ARROW_NR };

/* struct html_entry - one block in the directory; times since the page's beginning */
struct html_entry {
	__u64 begin;
	__u64 end;
	__u64 first;
	__u32 count;
};

/* How a field is stored: as the letters of "uixfgj" in Documentation/html.md */
enum html_field {
	HTML_UNSIGNED, HTML_SIGNED, HTML_HEX, HTML_F64, HTML_F32, HTML_JSON,
};

enum {
	HTML_TYPE_CONTEXT = 1 << 0,	/* there is a field "context" at the end */
	HTML_TYPE_TEXT = 1 << 1,	/* all fields are JSON: one of them is cut */
	HTML_TYPE_BYTES = 1 << 2,	/* one field "bytes": what the file does not describe */
};

/**
 * struct html_type - a type of event, with as many fields as events have; begins with the key
 * @type:	NULL = none is described
 * @kind:	of the stream, if @type is NULL
 * @id:		of the event, if @type is NULL
 * @fields:	how many of the type's
 * @flags:	HTML_TYPE_*
 */
struct html_type {
	const struct ktrace_event_type *type;
	__u32 kind;
	__u32 id;
	__u32 fields;
	__u32 flags;
};

/* struct html_stream - a ring that events come from; the stream is the key */
struct html_stream {
	const struct ktrace_trace_stream *stream;
	__u32 number;
};

/* struct html_strings - the strings of a block, each once */
struct html_strings {
	struct bytes text;
	__u32 *slots;
	__u32 slot_nr;
	struct html_string {
		__u32 offset;
		__u32 size;
	} *at;
	__u32 nr;
	__u32 cap;
};

enum html_column { HTML_TIME, HTML_TYPE, HTML_ROW, HTML_STREAM, HTML_FLAGS, HTML_COLUMN_NR };

struct html_rows;

/**
 * struct html_blocks - the block at hand, and the directory
 * @store:	where blocks go
 * @rows:	their states begin a block
 * @types:	types met, by their key
 * @streams:	rings met
 * @entries:	directory
 * @nr:		blocks that are stored
 * @cap:	for how many entries there is room
 * @events:	in all blocks so far
 * @is_open:	there is a block at hand
 * @now:	the block at hand
 * @last:	time of its latest event
 * @changed:	time of its latest change
 * @arrived:	end of its latest arrow
 * @changes_nr:	changes in it
 * @arrows_nr:	arrows in it
 * @columns:	of its events
 * @fields:	of its events
 * @begun:	states that it begins with
 * @changes:	of states
 * @arrows:	in it
 * @strings:	of its fields
 * @text:	a field being put together
 * @error:	0, -errno
 */
struct html_blocks {
	struct html_store *store;
	struct html_rows *rows;
	struct rows types;
	struct rows streams;
	struct html_entry *entries;
	__u32 nr;
	__u32 cap;
	__u64 events;
	bool is_open;
	struct html_entry now;
	__u64 last;
	__u64 changed;
	__u64 arrived;
	__u32 changes_nr;
	__u32 arrows_nr;
	struct bytes columns[HTML_COLUMN_NR];
	struct bytes fields;
	struct bytes begun;
	struct bytes changes;
	struct bytes arrows;
	struct html_strings strings;
	struct ktrace_out text;
	int error;
};

void html_blocks_init(struct html_blocks *b, struct html_store *store, struct html_rows *rows);
void html_blocks_free(struct html_blocks *b);
/* An event of row @row, + 1, 0 = of none */
void html_block_event(struct html_blocks *b, const struct ktrace_trace_event *e, __u32 row,
		      __u64 time);
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
/* How a field of a type with these flags is stored */
enum html_field html_field_of(const struct ktrace_field *f, __u32 flags);

#endif
