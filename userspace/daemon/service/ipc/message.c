// SPDX-License-Identifier: GPL-2.0
/* message.c - packs and copies messages; keeps unknown fields */
#include "message.h"

#include <malloc.h>
#include <stdlib.h>

/* Bytes that the C library needs for each allocation */
#define HEADER_SIZE 16

uint8_t *message_pack(const ProtobufCMessage *message, size_t *size)
{
	uint8_t *bytes;

	*size = protobuf_c_message_get_packed_size(message);
	bytes = malloc(*size + 1);
	if (bytes)
		protobuf_c_message_pack(message, bytes);
	return bytes;
}

static void *count_alloc(void *memory, size_t size)
{
	void *p = malloc(size);

	if (p)
		*(size_t *)memory += malloc_usable_size(p) + HEADER_SIZE;
	return p;
}

static void count_free(void *memory, void *p)
{
	if (p)
		*(size_t *)memory -= malloc_usable_size(p) + HEADER_SIZE;
	free(p);
}

ProtobufCMessage *message_copy_sized(const ProtobufCMessage *message, size_t *memory)
{
	ProtobufCAllocator counting = {
		.alloc = count_alloc, .free = count_free, .allocator_data = memory,
	};
	size_t size;
	uint8_t *bytes = message_pack(message, &size);
	ProtobufCMessage *copy = NULL;

	*memory = 0;
	if (bytes)
		copy = protobuf_c_message_unpack(message->descriptor, &counting, size, bytes);
	free(bytes);
	return copy;
}

ProtobufCMessage *message_copy(const ProtobufCMessage *message)
{
	size_t memory;

	return message_copy_sized(message, &memory);
}
