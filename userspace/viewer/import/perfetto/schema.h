/* SPDX-License-Identifier: GPL-2.0 */
/*
 * schema.h - names and types of the fields of messages
 *
 * Built in are those of perfetto_packets.proto, as protoc compiles them; a trace may describe more:
 * extensions, and events of the kernel's tracer. The first description of a field is valid.
 */
#ifndef VIEWER_IMPORT_PERFETTO_SCHEMA_H
#define VIEWER_IMPORT_PERFETTO_SCHEMA_H

#include "base/hash_table.h"

#include <ktrace/decode.h>
#include <stdbool.h>

#define SCHEMA_NAME 96u
/* No such type */
#define SCHEMA_NONE (~0u)

/* Types of fields, with the numbers of descriptors */
enum schema_kind {
	SCHEMA_DOUBLE = 1, SCHEMA_FLOAT, SCHEMA_INT64, SCHEMA_UINT64, SCHEMA_INT32,
	SCHEMA_FIXED64, SCHEMA_FIXED32, SCHEMA_BOOL, SCHEMA_STRING, SCHEMA_GROUP,
	SCHEMA_MESSAGE, SCHEMA_BYTES, SCHEMA_UINT32, SCHEMA_ENUM, SCHEMA_SFIXED32,
	SCHEMA_SFIXED64, SCHEMA_SINT32, SCHEMA_SINT64,
};

/**
 * struct schema_field - a field of a message, or a value of an enumeration; type and number are
 * the key
 * @type:	the message or enumeration
 * @number:	of the field or value
 * @kind:	enum schema_kind
 * @is_repeated: it may occur several times
 * @of:		its message or enumeration, SCHEMA_NONE = none
 * @name:	offset of its name
 * @group:	offset of the name of an event's group, 0 = none
 */
struct schema_field {
	__u32 type;
	__u32 number;
	__u32 kind;
	bool is_repeated;
	__u32 of;
	__u32 name;
	__u32 group;
};

/**
 * struct schema_type - a message or an enumeration; the name is the key
 * @name:	without package and dots
 * @first:	its first field; all that were described with it follow one another
 * @nr:		number of them
 */
struct schema_type {
	char name[SCHEMA_NAME];
	__u32 first;
	__u32 nr;
};

/**
 * struct schema - all descriptions
 * @types:	by name
 * @fields:	by type and number
 * @text:	names of fields, each followed by a NUL; the first one is empty
 */
struct schema {
	struct hash_table types;
	struct hash_table fields;
	struct ktrace_out text;
};

/* Adds what is built in. Return: 0, -ENOMEM; likewise below. */
int schema_init(struct schema *s);
void schema_free(struct schema *s);
/* Adds a FileDescriptorSet of a trace; ignores what cannot be read. */
int schema_add(struct schema *s, const unsigned char *data, size_t size);
/* Adds an event of the kernel's tracer, a DescriptorProto, as field @number of FtraceEvent. */
int schema_add_event(struct schema *s, __u32 number, const char *group,
		     const unsigned char *data, size_t size);

/* Returns the number of a type, SCHEMA_NONE if there is none. */
__u32 schema_find(const struct schema *s, const char *name);
/* Return: NULL: unknown; valid until something is added, as the names below */
const struct schema_type *schema_type(const struct schema *s, __u32 type);
const struct schema_field *schema_field(const struct schema *s, __u32 type, __u32 number);
/* Returns the field at a place from first on. */
const struct schema_field *schema_field_at(const struct schema *s, __u32 place);
const char *schema_name(const struct schema *s, const struct schema_field *f);
const char *schema_group(const struct schema *s, const struct schema_field *f);

#endif
