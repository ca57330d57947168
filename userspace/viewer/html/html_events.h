/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_events.h - events of a block of a page: columns, fields and their strings
 *
 * All blocks of a page share the types and rings.
 */
#ifndef VIEWER_HTML_HTML_EVENTS_H
#define VIEWER_HTML_HTML_EVENTS_H

#include <ktrace/traceset.h>

#include "base/bytes.h"
#include "base/hash_table.h"

/* How a field is stored, in the order of the letters "uixfgj" in Documentation/html.md */
enum html_field {
	HTML_UNSIGNED, HTML_SIGNED, HTML_HEX, HTML_F64, HTML_F32, HTML_JSON,
};

enum {
	HTML_TYPE_CONTEXT = 1 << 0,	/* the last field is "context" */
	HTML_TYPE_TEXT = 1 << 1,	/* all fields are JSON: one of them is truncated */
	HTML_TYPE_BYTES = 1 << 2,	/* one field "bytes": the fields cannot be decoded */
	HTML_TYPE_STACKS = 1 << 3,	/* the last field is "stacks", behind "context" */
};

/**
 * struct html_type - a type of event with a number of fields; begins with the key
 * @type:	NULL = the file describes none
 * @first:	its first field, if that is not the type's: names of values may depend on the ABI
 * @kind:	of the stream, if @type is NULL
 * @id:		of the event, if @type is NULL
 * @fields:	how many fields of the type its events have
 * @flags:	HTML_TYPE_*
 */
struct html_type {
	const struct ktrace_event_type *type;
	const struct ktrace_field *first;
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

/* struct html_strings - the strings of a block, without duplicates */
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

/* struct html_kinds - types and rings seen so far, by their keys */
struct html_kinds {
	struct hash_table types;
	struct hash_table streams;
};

void html_kinds_init(struct html_kinds *k);
void html_kinds_free(struct html_kinds *k);

/**
 * struct html_events - events being put together
 * @kinds:	types and rings
 * @nr:		how many events
 * @last:	time of the latest
 * @columns:	each has a number for each event
 * @fields:	of all events
 * @strings:	of the fields
 * @text:	a field being put together
 * @error:	0, -errno
 */
struct html_events {
	struct html_kinds *kinds;
	__u32 nr;
	__u64 last;
	struct bytes columns[HTML_COLUMN_NR];
	struct bytes fields;
	struct html_strings strings;
	struct ktrace_out text;
	int error;
};

void html_events_init(struct html_events *b, struct html_kinds *kinds);
void html_events_free(struct html_events *b);
/* Drops all events; times count from @base. */
void html_events_begin(struct html_events *b, __u64 base);
/* Adds an event of row @row - 1, or of no row if @row is 0. */
void html_events_add(struct html_events *b, const struct ktrace_trace_event *e, __u32 row,
		     __u64 time);
/* Returns the size of their fields and strings in bytes. */
size_t html_events_size(const struct html_events *b);
/* Appends all events; @base is that of html_events_begin(). */
void html_events_put(struct html_events *b, struct bytes *to, __u64 base);
/* Returns how a field of a type with these flags is stored. */
enum html_field html_field_of(const struct ktrace_field *f, __u32 flags);

#endif
