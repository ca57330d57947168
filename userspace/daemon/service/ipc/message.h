/* SPDX-License-Identifier: GPL-2.0 */
/* message.h - packs and copies messages */
#ifndef KTRACED_SERVICE_IPC_MESSAGE_H
#define KTRACED_SERVICE_IPC_MESSAGE_H

#include <stdint.h>
#include <protobuf-c/protobuf-c.h>

/* Returns a copy to be freed; NULL if out of memory. */
ProtobufCMessage *message_copy(const ProtobufCMessage *message);
/* @memory: out, bytes taken by the copy */
ProtobufCMessage *message_copy_sized(const ProtobufCMessage *message, size_t *memory);
uint8_t *message_pack(const ProtobufCMessage *message, size_t *size);

#endif
