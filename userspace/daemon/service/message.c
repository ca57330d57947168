// SPDX-License-Identifier: GPL-2.0
/* message.c - messages as bytes, and copies of them: fields that we do not know are kept */
#include "message.h"

#include <stdlib.h>

uint8_t *message_pack(const ProtobufCMessage *message, size_t *size)
{
	uint8_t *bytes;

	*size = protobuf_c_message_get_packed_size(message);
	bytes = malloc(*size + 1);
	if (bytes)
		protobuf_c_message_pack(message, bytes);
	return bytes;
}

ProtobufCMessage *message_copy(const ProtobufCMessage *message)
{
	size_t size;
	uint8_t *bytes = message_pack(message, &size);
	ProtobufCMessage *copy = NULL;

	if (bytes)
		copy = protobuf_c_message_unpack(message->descriptor, NULL, size, bytes);
	free(bytes);
	return copy;
}
