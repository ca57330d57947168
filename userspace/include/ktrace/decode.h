/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * decode.h - event descriptions and the values of a payload
 *
 * A description (grammar: <linux/ktrace_events.h>) becomes an event type. A type and a payload give
 * values. Values are printed as text or JSON. Descriptions and payloads may be hostile: invalid
 * descriptions are refused with -EINVAL, short payloads end early.
 */
#ifndef KTRACE_DECODE_H
#define KTRACE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/ktrace.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ktrace_scalar {
	KTRACE_S8, KTRACE_U8, KTRACE_S16, KTRACE_U16, KTRACE_S32, KTRACE_U32,
	KTRACE_S64, KTRACE_U64, KTRACE_X8, KTRACE_X16, KTRACE_X32, KTRACE_X64,
	KTRACE_F32, KTRACE_F64, KTRACE_PTR, KTRACE_CHAR,
	KTRACE_SCALAR_NR,
};

enum ktrace_shape {
	KTRACE_ONE,		/* scalar */
	KTRACE_FIXED,		/* scalar[count] */
	KTRACE_COUNTED,		/* __u32 count, then scalars */
	KTRACE_STRING,		/* bytes, then NUL */
};

/* Where a value is, for types whose values are not simply consecutive. */
enum ktrace_field_place {
	KTRACE_FOLLOWS,		/* directly after the previous field */
	KTRACE_AT,		/* at @offset */
	KTRACE_DATA_LOC,	/* at @offset: __u32, bytes << 16 | their offset */
	KTRACE_REL_LOC,		/* the same, but relative to the end of this __u32 */
};

/* struct ktrace_enumerator - one name of an enum; @value: the scalar extended to 64 bits */
struct ktrace_enumerator {
	__s64 value;
	const char *name;
};

/**
 * struct ktrace_field - one field of an event type
 * @name:	its name
 * @scalar:	type of each element; KTRACE_CHAR for strings
 * @size:	bytes of each element
 * @shape:	one, array or string
 * @count:	number of elements for KTRACE_FIXED
 * @enum_nr:	number of names in @enums, 0 = not an enum
 * @is_bytes:	KTRACE_COUNTED: arbitrary bytes, shown in text as a C string literal
 * @is_address:	an IP address of 16 bytes, shown as such: ip_src and ip_dst of kernel events net:*;
 *		IPv4 is ::ffff:a.b.c.d; all bytes are 0 if there is none
 * @enums:	in the order of the description
 * @label:	" name=", which starts the field's text
 * @label_size:	bytes of @label, without its NUL
 * @place:	where its value is
 * @offset:	bytes from the start of the payload; unused for KTRACE_FOLLOWS
 */
struct ktrace_field {
	const char *name;
	enum ktrace_scalar scalar;
	__u32 size;
	enum ktrace_shape shape;
	__u32 count;
	__u32 enum_nr;
	bool is_bytes;
	bool is_address;
	const struct ktrace_enumerator *enums;
	const char *label;
	size_t label_size;
	enum ktrace_field_place place;
	__u32 offset;
};

/**
 * struct ktrace_event_type - description of an event
 * @full_name:	"provider:name"
 * @provider:	first half of it
 * @name:	second half of it
 * @file:	source file, NULL = unknown
 * @line:	line in @file
 * @kind:	enum ktrace_channel_kind
 * @id:		its id in records
 * @field_nr:	number of fields
 * @fields:	in the order of the payload
 * @format:	the kernel's own description, NULL = not a kernel tracepoint
 * @is_placed:	made from @format: each field has its own offset
 */
struct ktrace_event_type {
	const char *full_name;
	const char *provider;
	const char *name;
	const char *file;
	__u32 line;
	__u16 kind;
	__u16 id;
	__u32 field_nr;
	const struct ktrace_field *fields;
	const char *format;
	bool is_placed;
};

#define KTRACE_DESC_SIZE_MAX 65536u

/**
 * ktrace_event_type_parse - create an event type from its description
 * @desc:	the line of text
 * @out:	the type, to be freed with ktrace_event_type_free()
 *
 * Return: 0, -EINVAL if @desc is not a description, -ENOMEM.
 */
int ktrace_event_type_parse(const char *desc, struct ktrace_event_type **out);

/**
 * ktrace_event_type_parse_format - create an event type from the kernel's description
 * @name:	"provider:name", the name to give the event
 * @format:	text of the file "format" in tracefs
 * @out:	the type, to be freed with ktrace_event_type_free()
 *
 * Leaves out the common fields (common_type and so on).
 *
 * Return: 0, -EINVAL if @name or @format is invalid, -ENOMEM.
 */
int ktrace_event_type_parse_format(const char *name, const char *format,
				   struct ktrace_event_type **out);

/**
 * struct ktrace_format_error - why a kernel's description is invalid
 * @line:	where in the text, from 1
 * @column:	character in the line, from 1
 * @message:	the reason
 */
struct ktrace_format_error {
	__u32 line;
	__u32 column;
	char message[120];
};

/**
 * ktrace_event_type_read_format - ktrace_event_type_parse_format() with an error report
 * @name:	"provider:name", the name to give the event
 * @format:	text of the file "format" in tracefs
 * @out:	the type, to be freed with ktrace_event_type_free()
 * @error:	filled in if -EINVAL is returned
 *
 * Return: 0, -EINVAL if @name or @format is invalid, -ENOMEM.
 */
int ktrace_event_type_read_format(const char *name, const char *format,
				  struct ktrace_event_type **out,
				  struct ktrace_format_error *error);

/** ktrace_event_type_free - free a parsed type; NULL is allowed */
void ktrace_event_type_free(struct ktrace_event_type *type);

/** ktrace_scalar_name - get the name of a scalar: "u32" and so on */
const char *ktrace_scalar_name(enum ktrace_scalar scalar);

/** ktrace_scalar_size - get the size of one element in bytes */
__u32 ktrace_scalar_size(enum ktrace_scalar scalar);

/** ktrace_enumerator_find - find the name of @value in an enum field, NULL = none */
const char *ktrace_enumerator_find(const struct ktrace_field *field, __s64 value);

/**
 * ktrace_syscall_number - find the number of a native system call
 * @machine:	as in uname(2)
 * @name:	the kernel's name, without "sys_"
 *
 * Return: the number, ~0 if unknown.
 */
__u32 ktrace_syscall_number(const char *machine, const char *name);

/**
 * ktrace_syscall_find - find the number of a system call in one of the machine's ABIs
 * @machine:	as in uname(2)
 * @has_x32:	the machine's kernel has x32 system calls
 * @abi:	enum ktrace_syscall_abi
 * @name:	the kernel's name, without "sys_"
 * @nr:		out: the number as in events; x32 numbers include the x32 bit
 *
 * Return: false if unknown.
 */
bool ktrace_syscall_find(const char *machine, bool has_x32, __u32 abi, const char *name,
			 __s32 *nr);

/** ktrace_syscall_name - get the name of a system call from its number, NULL = unknown */
const char *ktrace_syscall_name(const char *machine, bool has_x32, __u32 abi, __s64 nr);

struct ktrace_value;

/** ktrace_syscall_abi_name - get an ABI's name, as in events: "native", "i386"; or "unknown" */
const char *ktrace_syscall_abi_name(__u32 abi);

/**
 * ktrace_value_marked - get the name of a value, of another ABI's system call as "i386:read"
 * @v:		a value with at least one element, of an event's field
 *
 * Return: NULL if it has no name.
 */
const char *ktrace_value_marked(const struct ktrace_value *v);

/**
 * ktrace_syscall_bind - attach the names of system calls to the field "nr" of a syscall event
 * @type:	a parsed type; types of other families stay unchanged
 * @machine:	as in uname(2); NULL or a machine with unknown calls: no names
 * @has_x32:	the machine's kernel has x32 system calls
 *
 * Types delivered by a traceset have the names already. The names are those of native calls; for a
 * call of another ABI, ktrace_values_next() delivers the value with a field of its own.
 */
void ktrace_syscall_bind(struct ktrace_event_type *type, const char *machine, bool has_x32);

/**
 * struct ktrace_value - value of one field
 * @field:	its field
 * @data:	first element, possibly unaligned; valid as long as the payload
 * @count:	elements present; bytes of a string without its NUL
 * @is_cut:	truncated: the payload ends before the value does
 */
struct ktrace_value {
	const struct ktrace_field *field;
	const char *data;
	__u32 count;
	bool is_cut;
};

/* struct ktrace_values - an iterator over the values of one payload */
struct ktrace_values {
	const struct ktrace_event_type *type;
	const char *at;
	const char *end;
	__u32 next;
};

/** ktrace_values_init - start before the first value */
void ktrace_values_init(struct ktrace_values *it, const struct ktrace_event_type *type,
			const void *payload, size_t len);

/**
 * ktrace_values_next - get the next value
 *
 * Return: true; false after the last field or at the end of the payload.
 */
bool ktrace_values_next(struct ktrace_values *it, struct ktrace_value *v);

/** ktrace_value_s64 - get element @i as an integer: unsigned ones keep all 64 bits; 0 for floats */
__s64 ktrace_value_s64(const struct ktrace_value *v, __u32 i);

/** ktrace_value_f64 - get element @i as a floating point number */
double ktrace_value_f64(const struct ktrace_value *v, __u32 i);

/**
 * struct ktrace_out - a text buffer
 * @buf:	the caller's memory
 * @cap:	its size, at least KTRACE_OUT_MIN
 * @len:	bytes in @buf
 * @error:	first error of @flush, or -ENOSPC when full without @flush; later text is dropped
 * @flush:	consumes @len bytes of @buf, returns 0 or -errno; NULL = none
 * @arg:	for @flush
 */
struct ktrace_out {
	char *buf;
	size_t cap;
	size_t len;
	int error;
	int (*flush)(struct ktrace_out *out);
	void *arg;
};

#define KTRACE_OUT_MIN 256u

/** ktrace_out_bytes - append bytes unchanged */
void ktrace_out_bytes(struct ktrace_out *out, const char *s, size_t n);

/** ktrace_out_char - append one character */
static inline void ktrace_out_char(struct ktrace_out *out, char c)
{
	if (out->len < out->cap)
		out->buf[out->len++] = c;
	else
		ktrace_out_bytes(out, &c, 1);
}

/** ktrace_out_str - append text unchanged */
static inline void ktrace_out_str(struct ktrace_out *out, const char *s)
{
	ktrace_out_bytes(out, s, strlen(s));
}

/** ktrace_out_u64 - append a decimal number */
void ktrace_out_u64(struct ktrace_out *out, __u64 v);
/** ktrace_out_s64 - append a signed decimal number */
void ktrace_out_s64(struct ktrace_out *out, __s64 v);
/** ktrace_out_hex - append a hexadecimal number without 0x, with at least @digits digits */
void ktrace_out_hex(struct ktrace_out *out, __u64 v, unsigned int digits);
/** ktrace_out_dec - append a decimal number, padded with zeros to @digits digits */
void ktrace_out_dec(struct ktrace_out *out, __u64 v, unsigned int digits);
/** ktrace_out_pad - append blanks until @width characters follow position @from */
void ktrace_out_pad(struct ktrace_out *out, size_t from, size_t width);
/**
 * ktrace_out_safe - append text, with everything unsafe for a terminal replaced by '?'
 *
 * Unsafe are control characters, bytes that are not UTF-8, line and paragraph separators, and
 * characters that change the direction of text. Each of their bytes becomes a '?'.
 */
void ktrace_out_safe(struct ktrace_out *out, const char *s);
/** ktrace_out_quoted - append a C string literal; keeps UTF-8 that ktrace_out_safe() keeps */
void ktrace_out_quoted(struct ktrace_out *out, const char *s, size_t n);
/** ktrace_out_utf8 - append bytes; anything that is not UTF-8 becomes U+FFFD */
void ktrace_out_utf8(struct ktrace_out *out, const char *s, size_t n);
/** ktrace_out_json - append a JSON string; anything that is not UTF-8 becomes U+FFFD */
void ktrace_out_json(struct ktrace_out *out, const char *s, size_t n);

/** ktrace_value_text - append a value for people: numbers, names, "strings", 10.0.0.1, {a, b} */
void ktrace_value_text(struct ktrace_out *out, const struct ktrace_value *v);

/**
 * ktrace_fields_text - append all fields of a payload for people: " name=value" each
 *
 * Return: true, or false if the payload is shorter than its type.
 */
bool ktrace_fields_text(struct ktrace_out *out, const struct ktrace_event_type *type,
			const void *payload, size_t len);

/**
 * ktrace_value_json - append a value for programs
 *
 * Integers become numbers, x* and ptr strings "0x...", enums their name as a string or a number if
 * they have no name, floats numbers or null, char arrays and strings strings, IP addresses strings
 * ("": none), other arrays arrays.
 */
void ktrace_value_json(struct ktrace_out *out, const struct ktrace_value *v);

/** ktrace_fields_json - append all fields of a payload for programs: {"name":value,...} */
void ktrace_fields_json(struct ktrace_out *out, const struct ktrace_event_type *type,
			const void *payload, size_t len);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
