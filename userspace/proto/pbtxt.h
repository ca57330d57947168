/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pbtxt.h - messages from protobuf's text format, as configurations are written by hand
 *
 *	buffers { size_kb: 1024 fill_policy: RING_BUFFER }	# to the end of the line
 *	data_sources: < config { name: "track_event" }; >
 *	activate_triggers: ["a", 'b']
 *
 * Any message that protobuf-c knows; what it does not know is an error, with its place.
 */
#ifndef KTRACE_PBTXT_H
#define KTRACE_PBTXT_H

#include <protobuf-c/protobuf-c.h>

struct pbtxt_error {
	unsigned int line;	/* from 1 */
	unsigned int column;	/* in bytes, from 1 */
	char text[160];		/* without place and end of line */
};

/**
 * pbtxt_parse() - make a message of a text
 * @type:	of which kind
 * @text:	need not end with a zero
 * @size:	of @text
 * @out:	the message, to be freed by protobuf_c_message_free_unpacked(), with fields that
 *		the text does not have unset
 * @error:	what is wrong, if something is
 *
 * Context: any, no globals.
 * Return: 0, -EINVAL (@error says why), -ENOMEM.
 */
int pbtxt_parse(const ProtobufCMessageDescriptor *type, const char *text, size_t size,
		ProtobufCMessage **out, struct pbtxt_error *error);

#endif
