/* SPDX-License-Identifier: LGPL-2.1 */
/* record.h - one record on its way into a ring */
#ifndef KTRACE_WRITER_RECORD_H
#define KTRACE_WRITER_RECORD_H

#define KTRACE_LIBRARY
#include <ktrace/writer.h>
#include "ring/ring.h"

/**
 * struct record - one record, its payload still where the program has it
 * @id:		event id
 * @len:	bytes of the payload
 * @tid_flags:	as in struct ktrace_record
 * @nr:		number of pieces
 * @piece:	the payload; one more than an event has, for a fragment's total length
 */
struct record {
	__u16 id;
	__u16 len;
	__u32 tid_flags;
	unsigned int nr;
	struct ktrace_piece piece[KTRACE_PIECES_MAX + 1];
};

enum record_result {
	RECORD_DONE,
	RECORD_LOST,		/* and counted */
	RECORD_NO_ROOM,		/* block policy: try again, or count */
	RECORD_NO_RING,		/* this kind of ring cannot be used */
};

#endif
