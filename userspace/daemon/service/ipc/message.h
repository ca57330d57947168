/* SPDX-License-Identifier: GPL-2.0 */
/* message.h - messages as bytes, and copies of them */
#ifndef KTRACED_SERVICE_IPC_MESSAGE_H
#define KTRACED_SERVICE_IPC_MESSAGE_H

#include <stdint.h>
#include <protobuf-c/protobuf-c.h>

/* To be freed. Return: NULL without memory. */
ProtobufCMessage *message_copy(const ProtobufCMessage *message);
/* @memory: bytes that the copy takes */
ProtobufCMessage *message_copy_sized(const ProtobufCMessage *message, size_t *memory);
uint8_t *message_pack(const ProtobufCMessage *message, size_t *size);

#endif
