/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fragment.h - packets in a chunk's payload, each of them its size as a varint and its bytes
 *
 * The first may be the end of one that began in the chunk before, the last the beginning of one
 * that goes on in the next: the chunk's flags say so. Nothing in the payload is trusted.
 */
#ifndef KTRACED_SERVICE_BUFFER_FRAGMENT_H
#define KTRACED_SERVICE_BUFFER_FRAGMENT_H

#include <stddef.h>
#include <stdint.h>

enum fragment_kind {
	FRAGMENT_NONE,		/* nothing left */
	FRAGMENT_WHOLE,
	FRAGMENT_BEGIN,		/* goes on in the next chunk */
	FRAGMENT_MIDDLE,	/* all of a chunk: comes from the one before, goes on in the next */
	FRAGMENT_END,
	FRAGMENT_ABORTED,	/* its writer has given it up (PFT-25) */
	FRAGMENT_CORRUPT,	/* its size is none, or reaches beyond the payload */
};

struct fragment {
	enum fragment_kind kind;
	const uint8_t *data;
	size_t size;
	size_t end;		/* offset of what follows */
};

/* @flags: of the chunk. What lies at offset @off of a payload of @size bytes */
struct fragment fragment_at(const uint8_t *payload, size_t size, size_t off, uint8_t flags);

#endif
