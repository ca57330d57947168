// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_pft_frame.c - what producers and consumers send: frames, and messages in them
 *
 * The input is a number and a stream. Cut into pieces of any size it gives the same frames as in
 * one piece. A frame that is a message stays the same when it is written and read again, and so
 * do the arguments in it, whichever method they are for.
 */
#include "fuzz.h"

#include "service/ipc/ipc_frame.h"
#include "service.pb-c.h"

static const ProtobufCMessageDescriptor *const arguments[] = {
	&pft__commit_data_request__descriptor,
	&pft__enable_tracing_request__descriptor,
	&pft__register_data_source_request__descriptor,
	&pft__initialize_connection_request__descriptor,
	&pft__clone_session_request__descriptor,
	&pft__get_async_command_response__descriptor,
	&pft__trace_packet__descriptor,
};

/* Written again it is what it was: the second time to the last byte. */
static void again(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t size)
{
	ProtobufCMessage *m = protobuf_c_message_unpack(type, NULL, size, bytes), *copy;
	uint8_t *first, *second;
	size_t length;

	if (!m)
		return;
	length = protobuf_c_message_get_packed_size(m);
	first = malloc(length + 1);
	second = malloc(length + 1);
	REQUIRE(first && second);
	REQUIRE(protobuf_c_message_pack(m, first) == length);
	copy = protobuf_c_message_unpack(type, NULL, length, first);
	/* protobuf-c takes a field of number 0 once, and not when it has written it itself. */
	if (copy) {
		REQUIRE(protobuf_c_message_get_packed_size(copy) == length);
		REQUIRE(protobuf_c_message_pack(copy, second) == length);
		REQUIRE(!memcmp(first, second, length));
		protobuf_c_message_free_unpacked(copy, NULL);
	}
	protobuf_c_message_free_unpacked(m, NULL);
	free(first);
	free(second);
}

static void look(const uint8_t *message, size_t size)
{
	Pft__IPCFrame *frame = pft__ipcframe__unpack(NULL, size, message);

	if (!frame)
		return;
	again(&pft__ipcframe__descriptor, message, size);
	if (frame->msg_case == PFT__IPCFRAME__MSG_MSG_INVOKE_METHOD)
		for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
			again(arguments[i], frame->msg_invoke_method->args_proto.data,
			      frame->msg_invoke_method->args_proto.len);
	pft__ipcframe__free_unpacked(frame, NULL);
}

/* Return: the sum of all frames, and in @end how it ended. */
static uint64_t cut(const uint8_t *data, size_t size, size_t piece, int *end, bool looks)
{
	struct frames f = { 0 };
	const uint8_t *message;
	uint64_t sum = 0;
	uint8_t *to;
	size_t room, length;

	*end = 0;
	for (size_t off = 0; off < size && *end >= 0;) {
		REQUIRE(!frames_room(&f, &to, &room) && room);
		room = room < piece ? room : piece;
		room = room < size - off ? room : size - off;
		memcpy(to, data + off, room);
		off += room;
		frames_filled(&f, room);
		while ((*end = frames_next(&f, &message, &length)) > 0) {
			sum = sum * 31 + length + 1;
			for (size_t i = 0; i < length; i++)
				sum = sum * 31 + message[i];
			if (looks)
				look(message, length);
		}
	}
	frames_exit(&f);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	const size_t piece = (size_t)input_any(&in) % 4096 + 1;
	const size_t left = input_left(&in);
	int whole_end, end;
	const uint64_t whole = cut(in.at, left, SIZE_MAX, &whole_end, true);

	REQUIRE(cut(in.at, left, piece, &end, false) == whole);
	REQUIRE(end == whole_end);
	look(in.at, left);
	return 0;
}
