/* SPDX-License-Identifier: LGPL-2.1 */
/* record.h - one record on its way into a ring */
#ifndef KTRACE_WRITER_RECORD_H
#define KTRACE_WRITER_RECORD_H

#define KTRACE_LIBRARY
#include <ktrace/writer.h>
#include "ring/ring.h"

/**
 * struct record - one record, its payload still in the program's memory
 * @id:		event id
 * @len:	bytes of the payload, @total included
 * @tid_flags:	as in struct ktrace_record
 * @total:	bytes of all fragments, which begins the first one; NULL in other records
 * @piece:	the rest of the payload is in this piece and those after it
 * @skip:	bytes of @piece that earlier fragments hold
 *
 * The pieces are the caller's: a copy of them would take half a kilobyte of the program's stack.
 */
struct record {
	__u16 id;
	__u16 len;
	__u32 tid_flags;
	const __u32 *total;
	const struct ktrace_piece *piece;
	size_t skip;
};

/* Returns the payload bytes that come from the pieces. */
static inline size_t record_size(const struct record *rec)
{
	return rec->len - (rec->total ? sizeof(*rec->total) : 0);
}

enum record_result {
	RECORD_DONE,
	RECORD_LOST,		/* and counted */
	RECORD_NO_ROOM,		/* block policy: try again, or count */
	RECORD_NO_RING,		/* this kind of ring cannot be used */
	RECORD_GUEST,		/* the caller is not the thread of the record */
};

#endif
