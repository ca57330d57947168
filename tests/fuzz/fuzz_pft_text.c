// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_pft_text.c - configurations as text
 *
 * An error has a place in the text and something to say. What is accepted is a message: written
 * and read again it is the same.
 */
#include "fuzz.h"

#include "pbtxt.h"
#include "service.pb-c.h"

static void check_place(const struct pbtxt_error *e, const char *text, size_t size)
{
	const char *line = text;

	REQUIRE(e->line >= 1 && e->column >= 1 && e->text[0]);
	REQUIRE(!memchr(e->text, '\n', strlen(e->text)));
	for (unsigned int i = 1; i < e->line; i++) {
		line = memchr(line, '\n', size - (size_t)(line - text));
		REQUIRE(line);
		line++;
	}
	REQUIRE(e->column <= size - (size_t)(line - text) + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + !size);
	struct pbtxt_error error = { 0 };
	ProtobufCMessage *m, *again;
	uint8_t *bytes;
	size_t length;
	int r;

	REQUIRE(text);
	memcpy(text, data, size);
	r = pbtxt_parse(&pft__trace_config__descriptor, text, size, &m, &error);
	if (r) {
		check_place(&error, text, size);
		free(text);
		return 0;
	}
	length = protobuf_c_message_get_packed_size(m);
	bytes = malloc(length + !length);
	REQUIRE(bytes);
	REQUIRE(protobuf_c_message_pack(m, bytes) == length);
	again = protobuf_c_message_unpack(m->descriptor, NULL, length, bytes);
	REQUIRE(again);
	REQUIRE(protobuf_c_message_get_packed_size(again) == length);
	protobuf_c_message_free_unpacked(m, NULL);
	protobuf_c_message_free_unpacked(again, NULL);
	free(bytes);
	free(text);
	return 0;
}
