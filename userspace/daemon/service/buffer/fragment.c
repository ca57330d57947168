// SPDX-License-Identifier: GPL-2.0
/* fragment.c - packets in a chunk's payload */
#include "fragment.h"

#include "service/ipc/wire.h"
#include "shmem_page.h"

static enum fragment_kind kind_of(bool is_first, bool is_last, uint8_t flags)
{
	const bool goes_on = is_last && flags & SHMEM_CONTINUES_NEXT;

	if (is_first && flags & SHMEM_CONTINUES_PREVIOUS)
		return goes_on ? FRAGMENT_MIDDLE : FRAGMENT_END;
	return goes_on ? FRAGMENT_BEGIN : FRAGMENT_WHOLE;
}

/* Handles sizes of one and four bytes, as made by writers, fast; any other by wire_varint(). */
static bool take_size(struct wire *w, uint64_t *size)
{
	const uint8_t *b = w->at;

	if (!(b[0] & 0x80)) {
		*size = b[0];
		w->at += 1;
		return true;
	}
	if (w->end - b >= 4 && b[0] & b[1] & b[2] & ~b[3] & 0x80) {
		*size = (b[0] & 0x7f) | (b[1] & 0x7f) << 7 | (b[2] & 0x7f) << 14 | b[3] << 21;
		w->at += 4;
		return true;
	}
	return wire_varint(w, size);
}

struct fragment fragment_at(const uint8_t *payload, size_t size, size_t off, uint8_t flags)
{
	struct wire w = { payload + off, payload + size };
	struct fragment f = { .end = off };
	uint64_t length;

	if (off >= size)
		return f;
	f.kind = FRAGMENT_CORRUPT;
	if (!take_size(&w, &length))
		return f;
	if (length == SHMEM_PACKET_ABORTED) {
		f.kind = FRAGMENT_ABORTED;
		return f;
	}
	if (length > (uint64_t)(w.end - w.at))
		return f;
	f.data = w.at;
	f.size = (size_t)length;
	f.end = (size_t)(w.at - payload) + f.size;
	f.kind = kind_of(off == 0, f.end == size, flags);
	return f;
}
