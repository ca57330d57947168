/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_builder.h - builds events of other tools: names, fields, order by time
 *
 * For formats whose events have names and fields of any kind, in any order. A slice becomes two
 * events "CATEGORY:NAME_begin" and "_end", an instant one, a counter "counter:NAME".
 */
#ifndef VIEWER_IMPORT_EVENT_BUILDER_H
#define VIEWER_IMPORT_EVENT_BUILDER_H

#include "base/hash_table.h"

#include "import.h"
#include "import_writer.h"
#include "spool.h"

#include <stdbool.h>

/* Bytes of categories and names used in names of events */
#define BUILDER_PROVIDER 96u
#define BUILDER_NAME 192u
/* Deepest nesting of open slices with names */
#define BUILDER_DEPTH 512u
/* Thread ids from here on stand for tracks; Linux has none of them. */
#define BUILDER_TID_MIN 0x400001u

/** struct event_name - names of an event; all of it is the key */
struct event_name {
	char provider[BUILDER_PROVIDER];
	char name[BUILDER_NAME];
};

/**
 * struct event_builder - events of one trace
 * @f:		the tracefile
 * @spool:	events waiting to be put in order
 * @names:	struct event_name; later ones share row 0, "track:slice"
 * @desc:	description of the current event
 * @payload:	its payload
 * @text:	its fields as text, in case they cannot be described
 * @as_text:	number of events whose fields cannot be described
 */
struct event_builder {
	struct import_writer *f;
	struct spool spool;
	struct hash_table names;
	struct ktrace_out desc;
	struct ktrace_out payload;
	const char *text;
	__u64 as_text;
};

/** struct open_slices - slices of a track that have begun, as numbers of names */
struct open_slices {
	__u32 depth;
	__u32 *open;
	size_t cap;
};

void builder_init(struct event_builder *b);
void builder_free(struct event_builder *b);

/* Returns the number of a name; 0 if there are too many. Return: also -ENOMEM. */
int builder_name(struct event_builder *b, const char *provider, const char *name);
/* Begins an event with the name of this number. @whole: the name as it is, for a field if needed */
void builder_begin(struct event_builder *b, __u32 number, const char *suffix, const char *whole);
/* Begins an event with any name. */
void builder_begin_event(struct event_builder *b, const char *provider, const char *name);
void builder_begin_counter(struct event_builder *b, const char *name);

/* Add a field to the event. */
void builder_s64(struct event_builder *b, const char *name, __s64 value);
void builder_u64(struct event_builder *b, const char *type, const char *name, __u64 value);
void builder_double(struct event_builder *b, const char *name, double value);
void builder_text(struct event_builder *b, const char *name, const char *text, size_t size);

/*
 * Puts the event, described by @desc and @payload, into the spool; @e lacks only the type and the
 * payload. Return: 0, -errno.
 */
int builder_put(struct event_builder *b, __u32 kind, struct spooled e);
/* Puts a loss of @nr events on a CPU, -1: of programs; @reason: enum ktrace_lost_reason */
int builder_lost(struct event_builder *b, int cpu, __u64 ts, __u32 reason, __u64 nr);
/* Writes all events in order of time. Return: 0, -errno. */
int builder_write(struct event_builder *b);

/* Returns the index of the last @number in @open, whose last index is @last; @last if none is */
__u32 open_find(const __u32 *open, __u32 last, __u32 number);
/* Remembers a slice that begins. Return: 0, -ENOMEM. */
int slices_open(struct open_slices *s, __u32 number);
/*
 * Forgets the innermost slice with this number; if there is none or @number is 0, the innermost of
 * all. Returns its number; 0: none, or too deep
 */
__u32 slices_close(struct open_slices *s, __u32 number);

#endif
