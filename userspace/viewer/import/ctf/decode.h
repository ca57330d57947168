/* SPDX-License-Identifier: GPL-2.0 */
/* decode.h - turns the bits of a packet into values */
#ifndef VIEWER_IMPORT_CTF_DECODE_H
#define VIEWER_IMPORT_CTF_DECODE_H

#include "schema.h"

/**
 * struct ctf_facts - numbers that the reader needs, by role
 * @has:	enum ctf_role: which of them were there
 * @discarded_bits: size of @discarded, which wraps around
 * @uuid:	the bytes of the UUID, NULL = none
 */
struct ctf_facts {
	unsigned int has;
	__u64 stream_class;
	__u64 stream;
	__u64 magic;
	__u64 discarded;
	unsigned int discarded_bits;
	__u64 content;
	__u64 end_time;
	__u64 sequence;
	__u64 total;
	__u64 event_class;
	const char *uuid;
};

/**
 * struct ctf_cursor - place in a packet
 * @data:	the packet
 * @at:		next bit
 * @end:	first bit behind the content
 * @arena:	takes the values
 * @scopes:	structs of the packet and the event, as far as they are decoded
 * @now:	the struct that is being decoded
 * @facts:	what those before the contexts of events say
 * @time:	value of the clock
 * @fault:	why ctf_decode() failed
 */
struct ctf_cursor {
	const unsigned char *data;
	__u64 at;
	__u64 end;
	struct ctf_arena *arena;
	struct ctf_value scopes[CTF_SCOPES];
	enum ctf_scope now;
	struct ctf_facts facts;
	__u64 time;
	const char *fault;
};

/**
 * ctf_decode - decode a struct at the cursor
 * @class:	its class; NULL: the scope is empty
 *
 * Return: false if the bits cannot be what the class says; @fault of the cursor tells why.
 */
bool ctf_decode(struct ctf_cursor *c, enum ctf_scope scope, const struct ctf_class *class);

#endif
