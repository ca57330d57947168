/* SPDX-License-Identifier: GPL-2.0 */
/* object.h - selects objects by address or name */
#ifndef VIEWER_PTHREAD_OBJECT_H
#define VIEWER_PTHREAD_OBJECT_H

#include "model/object_names.h"

/* struct objects - the selected objects; all zero to begin with: no selection */
struct objects {
	struct object {
		char *name;
		__u64 address;
		bool has_address;
	} *list;
	size_t nr;
};

/*
 * Adds 0xADDRESS or NAME, several separated by commas; a name may be a glob. Returns an error
 * message, NULL = none.
 */
const char *objects_add(struct objects *o, const char *list);
/* True if the event is about one of them, or if nothing is selected. Lost events always match. */
bool objects_match(const struct objects *o, const struct object_names *a,
		   const struct ktrace_trace_event *e);
void objects_free(struct objects *o);

#endif
