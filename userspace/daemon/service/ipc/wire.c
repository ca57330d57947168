// SPDX-License-Identifier: GPL-2.0
/* wire.c - protobuf's encoding */
#include "wire.h"

#include <endian.h>
#include <string.h>

#define FIELD_MAX 0x1fffffffu

bool wire_varint(struct wire *w, uint64_t *value)
{
	uint64_t result = 0;

	for (unsigned int shift = 0; w->at < w->end && shift < 7 * WIRE_VARINT_MAX; shift += 7) {
		const uint8_t byte = *w->at++;

		result |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value = result;
			return true;
		}
	}
	return false;
}

static bool take_fixed(struct wire *w, struct wire_field *f, size_t size)
{
	uint8_t bytes[8] = { 0 };
	uint64_t value;

	if ((size_t)(w->end - w->at) < size)
		return false;
	memcpy(bytes, w->at, size);
	memcpy(&value, bytes, sizeof(value));
	f->value = le64toh(value);
	w->at += size;
	return true;
}

static bool take_bytes(struct wire *w, struct wire_field *f)
{
	uint64_t size;

	if (!wire_varint(w, &size) || size > WIRE_SIZE_MAX || size > (size_t)(w->end - w->at))
		return false;
	f->data = w->at;
	f->size = (size_t)size;
	w->at += size;
	return true;
}

bool wire_next(struct wire *w, struct wire_field *f)
{
	uint64_t tag;

	*f = (struct wire_field){ .begin = w->at };
	if (!wire_varint(w, &tag) || !(tag >> 3) || tag >> 3 > FIELD_MAX)
		return false;
	f->number = (uint32_t)(tag >> 3);
	f->type = tag & 7;
	switch (f->type) {
	case WIRE_VARINT:
		return wire_varint(w, &f->value);
	case WIRE_FIXED64:
		return take_fixed(w, f, 8);
	case WIRE_FIXED32:
		return take_fixed(w, f, 4);
	case WIRE_BYTES:
		return take_bytes(w, f);
	default:
		return false;
	}
}

uint8_t *wire_put_varint(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

uint8_t *wire_put_number(uint8_t *to, uint32_t field, uint64_t value)
{
	return wire_put_varint(wire_put_varint(to, (uint64_t)field << 3 | WIRE_VARINT), value);
}

uint8_t *wire_put_bytes(uint8_t *to, uint32_t field, const void *data, size_t size)
{
	to = wire_put_varint(to, (uint64_t)field << 3 | WIRE_BYTES);
	to = wire_put_varint(to, size);
	memcpy(to, data, size);
	return to + size;
}
