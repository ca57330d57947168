/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fragment.h - packets in a chunk's payload, each a size as a varint, then its bytes
 *
 * The first may be the end of a packet from the previous chunk, the last the beginning of one that
 * continues in the next: the chunk's flags tell. Nothing in the payload is trusted.
 */
#ifndef KTRACED_SERVICE_BUFFER_FRAGMENT_H
#define KTRACED_SERVICE_BUFFER_FRAGMENT_H

#include <stddef.h>
#include <stdint.h>

enum fragment_kind {
	FRAGMENT_NONE,		/* nothing left */
	FRAGMENT_WHOLE,
	FRAGMENT_BEGIN,		/* continues in the next chunk */
	FRAGMENT_MIDDLE,	/* whole chunk: continues from the previous into the next */
	FRAGMENT_END,
	FRAGMENT_ABORTED,	/* given up by its writer (PFT-25) */
	FRAGMENT_CORRUPT,	/* its size is invalid, or beyond the payload */
};

struct fragment {
	enum fragment_kind kind;
	const uint8_t *data;
	size_t size;
	size_t end;		/* offset of what follows */
};

/* Returns the fragment at offset @off of a payload of @size bytes. @flags: of the chunk */
struct fragment fragment_at(const uint8_t *payload, size_t size, size_t off, uint8_t flags);

#endif
