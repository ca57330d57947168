/* SPDX-License-Identifier: GPL-2.0 */
/* object.h - objects asked for by address or by name */
#ifndef VIEWER_PTHREAD_OBJECT_H
#define VIEWER_PTHREAD_OBJECT_H

#include "events/object_names.h"

/* struct objects - what is asked for; all zero to begin with: nothing is */
struct objects {
	struct object {
		char *name;
		__u64 address;
		bool has_address;
	} *list;
	size_t nr;
};

/*
 * Adds 0xADDRESS or NAME, several separated by commas; a name may be a glob. Returns what is
 * wrong, NULL = nothing.
 */
const char *objects_add(struct objects *o, const char *list);
/* Is the event about one of them? Losses may be. */
bool objects_match(const struct objects *o, const struct object_names *a,
		   const struct ktrace_trace_event *e);
void objects_free(struct objects *o);

#endif
