// SPDX-License-Identifier: GPL-2.0
/* batch.c - packets in a row, as in a trace file */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Tag of Trace.packet: field 1, with a length */
#define TAG 0x0a
#define PREAMBLE_MAX 11

void batch_exit(struct batch *b)
{
	free(b->bytes);
	*b = (struct batch) { 0 };
}

void batch_empty(struct batch *b)
{
	b->size = b->taken = 0;
	b->inner_nr = 0;
}

bool batch_add(struct batch *b, const uint8_t *head, size_t head_size, const uint8_t *tail,
	       size_t tail_size)
{
	size_t len = head_size + tail_size;

	if (!LIST_GROW(b->bytes, b->size + PREAMBLE_MAX + len, b->room))
		return false;
	b->bytes[b->size++] = TAG;
	for (size_t rest = len; ; rest >>= 7) {
		b->bytes[b->size++] = (uint8_t)(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0);
		if (rest <= 0x7f)
			break;
	}
	if (head_size)
		memcpy(b->bytes + b->size, head, head_size);
	if (tail_size)
		memcpy(b->bytes + b->size + head_size, tail, tail_size);
	b->size += len;
	return true;
}

bool batch_next(struct batch *b, const uint8_t **packet, size_t *size)
{
	size_t len = 0;

	if (b->taken == b->size)
		return false;
	b->taken++;
	for (unsigned int shift = 0; ; shift += 7) {
		uint8_t byte = b->bytes[b->taken++];

		len |= (size_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	*packet = b->bytes + b->taken;
	*size = len;
	b->taken += len;
	return true;
}

size_t batch_fitting(const struct batch *b, uint64_t max)
{
	struct batch rest = { .bytes = b->bytes, .size = b->size };
	const uint8_t *packet;
	size_t fit = 0, size;

	if (b->size <= max)
		return b->size;
	while (batch_next(&rest, &packet, &size) && rest.taken <= max)
		fit = rest.taken;
	return fit;
}

uint64_t batch_count(const struct batch *b, uint64_t from)
{
	struct batch rest = { .bytes = b->bytes, .size = b->size, .taken = (size_t)from };
	const uint8_t *packet;
	uint64_t nr = 0;
	size_t size;

	while (batch_next(&rest, &packet, &size))
		nr++;
	return nr && b->inner_nr ? b->inner_nr : nr;
}
