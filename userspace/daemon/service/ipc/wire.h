/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire.h - protobuf's encoding: varints and fields, read one after another and written
 *
 * For what is done with packets as they are, without knowing the message. Nothing that is read is
 * trusted.
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

/* Longest message there can be: a size has four groups of seven bits. */
#define WIRE_SIZE_MAX 0x0fffffffu
#define WIRE_VARINT_MAX 10

/* Bytes that are still to be read */
struct wire {
	const uint8_t *at;
	const uint8_t *end;
};

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;		/* of a varint, or of 4 or 8 bytes */
	const uint8_t *data;	/* of WIRE_BYTES */
	size_t size;
	const uint8_t *begin;	/* of the field, its tag included; it ends where @w is then */
};

/* Return: whether there was a whole one of at most 64 bits. */
bool wire_varint(struct wire *w, uint64_t *value);
/* Return: whether there was a whole field of a type that there is. */
bool wire_next(struct wire *w, struct wire_field *f);

/* Each returns what comes behind; there has to be room. */
uint8_t *wire_put_varint(uint8_t *to, uint64_t value);
uint8_t *wire_put_number(uint8_t *to, uint32_t field, uint64_t value);
uint8_t *wire_put_bytes(uint8_t *to, uint32_t field, const void *data, size_t size);

#endif
