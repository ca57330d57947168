/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * slices.h - pairs events that begin and end a slice, for formats that draw slices
 *
 * Events are paired by name: two types of a provider whose names differ only in the last word,
 * which is begin and end, in and out, enter and exit, entry and exit, start and end, start and
 * stop. Slices of a thread nest. An end without a begin, which was lost or is before the window, is
 * an ordinary event.
 */
#ifndef KTRACE_MODEL_SLICES_H
#define KTRACE_MODEL_SLICES_H

#include "base/hash_table.h"

#include <ktrace/state.h>

enum span_role { SPAN_NONE, SPAN_BEGIN, SPAN_END };

/*
 * Returns the role of an event's type. @stem: bytes of its full name before the last word, the same
 * as those of its partner; @begin: the type of the two that begins the slice; may be NULL.
 */
enum span_role slices_role(const struct ktrace_trace_event *e, __u32 *stem,
			   const struct ktrace_event_type **begin);

/* Slices nest up to this depth; deeper ones are counted, but their events are ordinary ones. */
#define SLICES_DEPTH 4096u

/**
 * struct slices - open slices
 * @types:	roles of types
 * @tracks:	open slices of each thread and each CPU
 * @deeper:	how many were deeper than SLICES_DEPTH
 */
struct slices {
	struct hash_table types;
	struct hash_table tracks;
	__u64 deeper;
};

void slices_init(struct slices *s);
void slices_free(struct slices *s);

/**
 * slices_take - handle an event that may begin or end a slice
 * @s:		open slices
 * @e:		an event that has fields
 * @track:	the thread or CPU, as a number that the caller chooses
 * @out:	out: its role
 *
 * Return: for SPAN_END, how many slices above the one that ends are open and end with it; -ENOMEM.
 */
int slices_take(struct slices *s, const struct ktrace_trace_event *e, __u64 track,
		enum span_role *out);

/* Returns how many slices of the track are open. */
__u32 slices_depth(const struct slices *s, __u64 track);

/* Writes the name of the slice: "demo:work" for demo:work_begin, "syscall:read". */
void slices_put_name(struct slices *s, struct ktrace_out *out, const struct ktrace_trace_event *e);

/* Returns the field of this name as an integer, 0 if there is none. */
__s64 event_integer(const struct ktrace_trace_event *e, const char *name);

#endif
