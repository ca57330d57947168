/* SPDX-License-Identifier: GPL-2.0 */
/*
 * import_types.h - the types of events of another tool's trace
 *
 * A type is found by the text of its description, which is written when the type is created,
 * before its first event.
 */
#ifndef VIEWER_IMPORT_IMPORT_TYPES_H
#define VIEWER_IMPORT_IMPORT_TYPES_H

#include "import_writer.h"

#include <linux/ktrace_events.h>

#define IMPORT_TYPES_BUCKETS 1024u

struct ktrace_tracefile;

/**
 * struct import_types - all types
 * @buckets:	types by the hash of their description
 * @next_id:	by kind, for types that are not ktrace's own
 * @own:	the file's description of ktrace's own kernel events, NULL = none yet
 */
struct import_types {
	struct import_type *buckets[IMPORT_TYPES_BUCKETS];
	__u32 next_id[IMPORT_WRITER_KINDS];
	char *own[KTRACE_EV_DYNAMIC];
};

void import_types_init(struct import_types *types);
void import_types_free(struct import_types *types);

/* Finds or creates a type and describes it in @tf. Return: as import_type(). */
int import_types_get(struct import_types *types, struct import_writer *f,
		     struct ktrace_tracefile *tf, __u32 kind, const char *desc,
		     const struct import_type **out);

#endif
