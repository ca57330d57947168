/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pbtxt.h - builds messages from protobuf's text format, in which configurations are written
 *
 *	buffers { size_kb: 1024 fill_policy: RING_BUFFER }	# to the end of the line
 *	data_sources: < config { name: "track_event" }; >
 *	activate_triggers: ["a", 'b']
 *
 * Parses any message known to protobuf-c; reports an unknown field or value with its position.
 */
#ifndef KTRACE_PBTXT_H
#define KTRACE_PBTXT_H

#include <protobuf-c/protobuf-c.h>

struct pbtxt_error {
	unsigned int line;	/* from 1 */
	unsigned int column;	/* in bytes, from 1 */
	char text[160];		/* without position and newline */
};

/**
 * pbtxt_parse() - build a message from a text
 * @type:	type of the message
 * @text:	the text, need not end with a zero
 * @size:	bytes of @text
 * @out:	the message, to be freed by protobuf_c_message_free_unpacked(); fields that the
 *		text does not have are unset
 * @error:	out, on -EINVAL: what is wrong, and where
 *
 * Context: any, no globals.
 * Return: 0, -EINVAL (@error says why), -ENOMEM.
 */
int pbtxt_parse(const ProtobufCMessageDescriptor *type, const char *text, size_t size,
		ProtobufCMessage **out, struct pbtxt_error *error);

#endif
