/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire.h - protobuf's encoding: reads varints and fields one by one, and writes them
 *
 * For packets that are handled without knowing the message. Nothing read is trusted.
 */
#ifndef KTRACED_SERVICE_IPC_WIRE_H
#define KTRACED_SERVICE_IPC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

/* Longest possible message: a size has four groups of seven bits. */
#define WIRE_SIZE_MAX 0x0fffffffu
#define WIRE_VARINT_MAX 10

/* Bytes still to be read */
struct wire {
	const uint8_t *at;
	const uint8_t *end;
};

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;		/* value of a varint, or of 4 or 8 bytes */
	const uint8_t *data;	/* contents of WIRE_BYTES */
	size_t size;
	const uint8_t *begin;	/* start of the field with its tag; it ends at @w->at */
};

/* Return: true if there was a whole varint of at most 64 bits. */
bool wire_varint(struct wire *w, uint64_t *value);
/* Return: true if there was a whole field of a known type. */
bool wire_next(struct wire *w, struct wire_field *f);

/* Each returns the end of what it wrote; the caller provides the room. */
uint8_t *wire_put_varint(uint8_t *to, uint64_t value);
uint8_t *wire_put_number(uint8_t *to, uint32_t field, uint64_t value);
uint8_t *wire_put_bytes(uint8_t *to, uint32_t field, const void *data, size_t size);

#endif
