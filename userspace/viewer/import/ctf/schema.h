/* SPDX-License-Identifier: GPL-2.0 */
/*
 * schema.h - what the metadata of a CTF trace says
 *
 * Both texts, TSDL of CTF 1.8 and JSON of CTF 2, become the same schema. Names with a meaning in
 * TSDL ("packet_size") become the roles that CTF 2 has for it.
 */
#ifndef VIEWER_IMPORT_CTF_SCHEMA_H
#define VIEWER_IMPORT_CTF_SCHEMA_H

#include "value.h"

/** enum ctf_form - how the length of a field is known */
enum ctf_form {
	CTF_FIXED,		/* in the metadata */
	CTF_LEB128,		/* in the bytes of the number */
	CTF_TERMINATED,		/* text up to a 0 */
	CTF_COUNTED,		/* in another field */
	CTF_WIDE,		/* in the metadata; a number above 64 bits, which becomes text */
};

/** enum ctf_encoding - characters of a text */
enum ctf_encoding {
	CTF_UTF8,
	CTF_UTF16BE,
	CTF_UTF16LE,
	CTF_UTF32BE,
	CTF_UTF32LE,
};

/** enum ctf_role - meaning of a number for the reader */
enum ctf_role {
	CTF_ROLE_STREAM_CLASS = 1 << 0,
	CTF_ROLE_STREAM = 1 << 1,
	CTF_ROLE_UUID = 1 << 2,
	CTF_ROLE_MAGIC = 1 << 3,
	CTF_ROLE_TIME = 1 << 4,
	CTF_ROLE_DISCARDED = 1 << 5,
	CTF_ROLE_CONTENT = 1 << 6,
	CTF_ROLE_END_TIME = 1 << 7,
	CTF_ROLE_SEQUENCE = 1 << 8,
	CTF_ROLE_TOTAL = 1 << 9,
	CTF_ROLE_EVENT_CLASS = 1 << 10,
};

/** enum ctf_scope - the structs of a packet and of an event, in the order of their bits */
enum ctf_scope {
	CTF_PACKET_HEADER,
	CTF_PACKET_CONTEXT,
	CTF_EVENT_HEADER,
	CTF_COMMON_CONTEXT,
	CTF_SPECIFIC_CONTEXT,
	CTF_PAYLOAD,
	CTF_SCOPES,
};

/**
 * struct ctf_location - where the length or the selector of a field is
 * @scope:	where the path begins; CTF_SCOPES = in the struct with the field
 * @is_outward:	if that struct has no such member, look in the structs around it
 * @path:	names of members, NULL = the struct around
 * @nr:		number of @path
 */
struct ctf_location {
	enum ctf_scope scope;
	bool is_outward;
	char **path;
	__u32 nr;
};

/**
 * struct ctf_layout - where the bits of a field are
 * @form:	how its length is known
 * @length:	CTF_FIXED: bits of a number, bytes of text, elements of an array
 * @align:	alignment in bits, a power of 2
 * @is_big:	big-endian
 * @is_reversed: the order of bits is not the usual one of the byte order
 * @encoding:	of text
 * @roles:	enum ctf_role
 * @where:	length of CTF_COUNTED, selector of an option or a variant
 * @ranges:	option: values of the selector with which it is present; none: all but 0
 * @depth:	number of classes inside each other, at most %CTF_DEPTH_MAX
 * @is_char:	TSDL: an array of this integer is text
 * @clock:	TSDL: id of the clock that the integer counts with, NULL = none
 * @selector:	variant of TSDL: the enum whose names gave the ranges of the options
 */
struct ctf_layout {
	enum ctf_form form;
	__u64 length;
	__u64 align;
	bool is_big;
	bool is_reversed;
	enum ctf_encoding encoding;
	unsigned int roles;
	struct ctf_location where;
	struct ctf_ranges ranges;
	unsigned int depth;
	bool is_char;
	char *clock;
	const struct ctf_class *selector;
};

/** CTF_DEPTH_MAX - most classes inside each other */
#define CTF_DEPTH_MAX 64u

/**
 * struct ctf_clock - a clock
 * @id:		what the metadata calls it
 * @name:	its name, NULL = none
 * @uid:	its identity: two clocks with the same name and identity are the same; NULL = none
 * @hz:		its rate
 * @seconds:	its offset from its origin
 * @cycles:	the rest of the offset
 * @is_epoch:	its origin is 1970
 * @next:	next clock
 */
struct ctf_clock {
	char *id;
	char *name;
	char *uid;
	__u64 hz;
	__s64 seconds;
	__u64 cycles;
	bool is_epoch;
	struct ctf_clock *next;
};

/** ctf_clock_ns - ns since the origin at a value of the clock; false: beyond 64 bits */
bool ctf_clock_ns(const struct ctf_clock *clock, __u64 value, __s64 *ns);
/** ctf_clock_is_same - true if both count the same, though in different traces */
bool ctf_clock_is_same(const struct ctf_clock *a, const struct ctf_clock *b);

/** struct ctf_event_class - type of events; @next: next one with the same hash */
struct ctf_event_class {
	__u64 stream;
	__u64 id;
	char *name;
	struct ctf_class *specific;
	struct ctf_class *payload;
	struct ctf_event_class *next;
};

/** struct ctf_stream_class - type of streams; @clock: NULL = no time */
struct ctf_stream_class {
	__u64 id;
	struct ctf_class *packet_context;
	struct ctf_class *event_header;
	struct ctf_class *common;
	const struct ctf_clock *clock;
	struct ctf_stream_class *next;
};

/** struct ctf_env - a fact about the trace; @text: NULL = it is a number */
struct ctf_env {
	char *key;
	char *text;
	__s64 number;
	struct ctf_env *next;
};

#define CTF_BUCKETS 512u

/**
 * struct ctf_schema - all of the metadata
 * @pool:	all classes
 * @packet_header: of all streams, NULL = none
 * @events:	by hash of stream and id
 * @has_uuid:	@uuid is known
 */
struct ctf_schema {
	struct ctf_class *pool;
	struct ctf_class *packet_header;
	struct ctf_clock *clocks;
	struct ctf_stream_class *streams;
	struct ctf_event_class *events[CTF_BUCKETS];
	struct ctf_env *env;
	unsigned char uuid[16];
	bool has_uuid;
};

/** ctf_schema_class - make a class with a layout; NULL: out of memory */
struct ctf_class *ctf_schema_class(struct ctf_schema *schema, enum ctf_kind kind);
/** ctf_schema_end_class - finish a class whose parts are known; false: too deep */
bool ctf_schema_end_class(struct ctf_class *class);
/** ctf_schema_copy - copy a class, but not those inside; NULL: out of memory */
struct ctf_class *ctf_schema_copy(struct ctf_schema *schema, const struct ctf_class *class);
/** ctf_schema_stream - find a type of streams, NULL = none */
struct ctf_stream_class *ctf_schema_stream(const struct ctf_schema *schema, __u64 id);
/** ctf_schema_event - find a type of events, NULL = none */
const struct ctf_event_class *ctf_schema_event(const struct ctf_schema *schema, __u64 stream,
					       __u64 id);
/** ctf_schema_add_event - add a type of events, which the schema frees */
void ctf_schema_add_event(struct ctf_schema *schema, struct ctf_event_class *event);
/** ctf_schema_env - find a fact, NULL = unknown */
const struct ctf_env *ctf_schema_env(const struct ctf_schema *schema, const char *key);
/** ctf_schema_env_text - text of a fact, NULL = unknown or a number */
const char *ctf_schema_env_text(const struct ctf_schema *schema, const char *key);
/** ctf_schema_free - free everything */
void ctf_schema_free(struct ctf_schema *schema);

/** ctf_ranges_have - true if @value is in one of the ranges */
bool ctf_ranges_have(const struct ctf_ranges *ranges, __s64 value, bool is_signed);
/** ctf_ranges_copy - add all ranges of another set; false: out of memory */
bool ctf_ranges_copy(struct ctf_ranges *to, const struct ctf_ranges *from);
/** ctf_ranges_add - add a range; false: out of memory */
bool ctf_ranges_add(struct ctf_ranges *ranges, struct ctf_range range);
/** ctf_uuid_parse - read the text of a UUID */
bool ctf_uuid_parse(const char *text, unsigned char uuid[16]);

#endif
