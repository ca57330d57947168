/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slices.h - which events begin and end something, for formats that draw it as one bar
 *
 * By their names: of two types of a provider that differ in their last word alone, begin and
 * end, in and out, enter and exit, entry and exit, start and end, start and stop. What a thread
 * begins it ends in turn; an end of what was not begun, as that was lost or before the window, is
 * an event like any other.
 */
#ifndef VIEWER_EVENTS_SLICES_H
#define VIEWER_EVENTS_SLICES_H

#include "base/hash_table.h"

#include <ktrace/state.h>

enum span_role { SPAN_NONE, SPAN_BEGIN, SPAN_END };

/*
 * What the type of an event is. @stem: bytes of its full name in front of the last word, which are
 * those of its partner, too; @begin: of the two, the type that begins it; may be NULL.
 */
enum span_role slices_role(const struct ktrace_trace_event *e, __u32 *stem,
			   const struct ktrace_event_type **begin);

/* Spans nest up to this depth; deeper ones are left out. */
#define SLICES_DEPTH 64u

/**
 * struct slices - what is open
 * @types:	of each type its role
 * @tracks:	of each thread, and of each CPU, what is open
 */
struct slices {
	struct hash_table types;
	struct hash_table tracks;
};

void slices_init(struct slices *s);
void slices_free(struct slices *s);

/**
 * slices_take - what an event is
 * @s:		what is open
 * @e:		an event that has fields
 * @track:	the thread or CPU, a number of the caller's
 * @out:	out: its role
 *
 * Return: of SPAN_END how many are open above what it ends, and end with it; -ENOMEM.
 */
int slices_take(struct slices *s, const struct ktrace_trace_event *e, __u64 track,
		enum span_role *out);

/* The name of what it begins or ends: "demo:work" of demo:work_begin, "syscall:read" */
void slices_put_name(struct slices *s, struct ktrace_out *out, const struct ktrace_trace_event *e);

/* The field of a name as an integer, 0 if there is none. */
__s64 event_integer(const struct ktrace_trace_event *e, const char *name);
/* Number of the first trace of the same boot */
__u32 machine_of(const struct ktrace_traceset *set, const struct ktrace_trace *trace);

#endif
