/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * decode.h - event descriptions and the values of a payload
 *
 * A description (grammar: <linux/ktrace_events.h>) becomes an event type; a type and
 * a payload give values; values are printed as text or JSON. Descriptions and payloads
 * may be hostile: the first are refused with -EINVAL, the second end early.
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
	KTRACE_COUNTED,		/* __u32 count, scalars */
	KTRACE_STRING,		/* bytes, NUL */
};

/* Where the values of a type are that does not have them one behind the other. */
enum ktrace_field_place {
	KTRACE_FOLLOWS,		/* behind the field before */
	KTRACE_AT,		/* at @offset */
	KTRACE_DATA_LOC,	/* at @offset: __u32, bytes << 16 | their offset */
	KTRACE_REL_LOC,		/* the same, their offset from behind it on */
};

/* struct ktrace_enumerator - one name of an enum; @value as the scalar's 64-bit extension */
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
 * @count:	KTRACE_FIXED: elements
 * @enum_nr:	names in @enums, 0 = not an enum
 * @is_bytes:	KTRACE_COUNTED: bytes of any kind, which text shows as a C string literal
 * @enums:	ordered as written
 * @label:	" name=", as text begins
 * @label_size:	bytes of it, without its NUL
 * @place:	where its value is
 * @offset:	unless KTRACE_FOLLOWS: from the payload's beginning on
 */
struct ktrace_field {
	const char *name;
	enum ktrace_scalar scalar;
	__u32 size;
	enum ktrace_shape shape;
	__u32 count;
	__u32 enum_nr;
	bool is_bytes;
	const struct ktrace_enumerator *enums;
	const char *label;
	size_t label_size;
	enum ktrace_field_place place;
	__u32 offset;
};

/**
 * struct ktrace_event_type - what is known about an event
 * @full_name:	"provider:name"
 * @provider:	first half of it
 * @name:	second half of it
 * @file:	source file, NULL = not said
 * @line:	line in it
 * @kind:	enum ktrace_channel_kind
 * @id:		as in records
 * @field_nr:	number of fields
 * @fields:	in order of the payload
 * @format:	the kernel's own description, NULL = it is none of the kernel's
 * @is_placed:	made of it: fields say themselves where they are
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
 * ktrace_event_type_parse - make an event type of its description
 * @desc:	the line of text
 * @out:	the type, to be freed with ktrace_event_type_free()
 *
 * Return: 0, -EINVAL if @desc is no description, -ENOMEM.
 */
int ktrace_event_type_parse(const char *desc, struct ktrace_event_type **out);

/**
 * ktrace_event_type_parse_format - make an event type of the kernel's description
 * @name:	"provider:name", what the event is to be called
 * @format:	text of the file "format" in tracefs
 * @out:	the type, to be freed with ktrace_event_type_free()
 *
 * Its common fields (common_type and so on) are left out.
 *
 * Return: 0, -EINVAL if @name or @format cannot be, -ENOMEM.
 */
int ktrace_event_type_parse_format(const char *name, const char *format,
				   struct ktrace_event_type **out);

/**
 * struct ktrace_format_error - why a kernel's description cannot be read
 * @line:	where in the text, from 1
 * @column:	character of the line, from 1
 * @message:	what is wrong there
 */
struct ktrace_format_error {
	__u32 line;
	__u32 column;
	char message[120];
};

/**
 * ktrace_event_type_read_format - ktrace_event_type_parse_format() that says what is wrong
 * @name:	"provider:name", what the event is to be called
 * @format:	text of the file "format" in tracefs
 * @out:	the type, to be freed with ktrace_event_type_free()
 * @error:	filled in with -EINVAL
 *
 * Return: 0, -EINVAL if @name or @format cannot be, -ENOMEM.
 */
int ktrace_event_type_read_format(const char *name, const char *format,
				  struct ktrace_event_type **out,
				  struct ktrace_format_error *error);

/** ktrace_event_type_free - free a parsed type, or NULL */
void ktrace_event_type_free(struct ktrace_event_type *type);

/** ktrace_scalar_name - "u32" and so on */
const char *ktrace_scalar_name(enum ktrace_scalar scalar);

/** ktrace_scalar_size - bytes of one element */
__u32 ktrace_scalar_size(enum ktrace_scalar scalar);

/** ktrace_enumerator_find - name of @value in an enum field, NULL = none */
const char *ktrace_enumerator_find(const struct ktrace_field *field, __s64 value);

/**
 * ktrace_syscall_number - number of the machine's own system call that is called @name
 * @machine:	as uname(2) names it
 * @name:	as the kernel does, without "sys_"
 *
 * Return: ~0 if it is not known.
 */
__u32 ktrace_syscall_number(const char *machine, const char *name);

/**
 * ktrace_syscall_find - number of a system call in one of the machine's ABIs
 * @machine:	as uname(2) names it
 * @has_x32:	its kernel has calls of x32
 * @abi:	enum ktrace_syscall_abi
 * @name:	as the kernel does, without "sys_"
 * @nr:		set to the number as events have it: those of x32 with their bit
 *
 * Return: false if it is not known.
 */
bool ktrace_syscall_find(const char *machine, bool has_x32, __u32 abi, const char *name,
			 __s32 *nr);

/** ktrace_syscall_name - the opposite: the call's name, NULL = not known */
const char *ktrace_syscall_name(const char *machine, bool has_x32, __u32 abi, __s64 nr);

struct ktrace_value;

/** ktrace_syscall_abi_name - "native", "i386" and so on, as events say it; "unknown" of others */
const char *ktrace_syscall_abi_name(__u32 abi);

/**
 * ktrace_value_marked - name of a value, of system calls of another ABI with a mark: "i386:read"
 * @v:		a value with an element, of an event's field
 *
 * Return: NULL if it has no name.
 */
const char *ktrace_value_marked(const struct ktrace_value *v);

/**
 * ktrace_syscall_bind - give the field "nr" of an event of family syscall its names
 * @type:	of any event, as parsed; of others than those nothing is changed
 * @machine:	as uname(2) names it; NULL, or one whose calls are not known: no names
 * @has_x32:	its kernel has calls of x32
 *
 * Types that a traceset delivers have them. The names are those of the machine's own calls;
 * ktrace_values_next() delivers the value of a call of another ABI with a field of its own.
 */
void ktrace_syscall_bind(struct ktrace_event_type *type, const char *machine, bool has_x32);

/**
 * struct ktrace_value - value of one field
 * @field:	its field
 * @data:	first element, not aligned; valid as long as the payload
 * @count:	elements that are there; bytes of a string, NUL not counted
 * @is_cut:	the payload ends before the value does
 */
struct ktrace_value {
	const struct ktrace_field *field;
	const char *data;
	__u32 count;
	bool is_cut;
};

/* struct ktrace_values - walks the values of one payload */
struct ktrace_values {
	const struct ktrace_event_type *type;
	const char *at;
	const char *end;
	__u32 next;
};

/** ktrace_values_init - stand before the first value */
void ktrace_values_init(struct ktrace_values *it, const struct ktrace_event_type *type,
			const void *payload, size_t len);

/**
 * ktrace_values_next - the next value
 *
 * Return: true, or false behind the last field or where the payload ends.
 */
bool ktrace_values_next(struct ktrace_values *it, struct ktrace_value *v);

/** ktrace_value_s64 - element @i as integer, unsigned ones keep their 64 bits; 0 for floats */
__s64 ktrace_value_s64(const struct ktrace_value *v, __u32 i);

/** ktrace_value_f64 - element @i as floating point number */
double ktrace_value_f64(const struct ktrace_value *v, __u32 i);

/**
 * struct ktrace_out - text being put together
 * @buf:	memory of the caller
 * @cap:	its size, at least KTRACE_OUT_MIN
 * @len:	bytes in it
 * @error:	first error of @flush, or -ENOSPC when full without @flush; later
 *		text is dropped
 * @flush:	takes @len bytes of @buf away, returns 0 or -errno; NULL = none
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

/** ktrace_out_bytes - bytes as they are */
void ktrace_out_bytes(struct ktrace_out *out, const char *s, size_t n);

/** ktrace_out_char - one character */
static inline void ktrace_out_char(struct ktrace_out *out, char c)
{
	if (out->len < out->cap)
		out->buf[out->len++] = c;
	else
		ktrace_out_bytes(out, &c, 1);
}

/** ktrace_out_str - text as it is */
static inline void ktrace_out_str(struct ktrace_out *out, const char *s)
{
	ktrace_out_bytes(out, s, strlen(s));
}

/** ktrace_out_u64 - decimal number */
void ktrace_out_u64(struct ktrace_out *out, __u64 v);
/** ktrace_out_s64 - decimal number with sign */
void ktrace_out_s64(struct ktrace_out *out, __s64 v);
/** ktrace_out_hex - without 0x, at least @digits digits */
void ktrace_out_hex(struct ktrace_out *out, __u64 v, unsigned int digits);
/** ktrace_out_dec - decimal, padded with zeros to @digits digits */
void ktrace_out_dec(struct ktrace_out *out, __u64 v, unsigned int digits);
/** ktrace_out_pad - blanks until @width characters follow position @from */
void ktrace_out_pad(struct ktrace_out *out, size_t from, size_t width);
/**
 * ktrace_out_safe - text with what a terminal must not see replaced by '?'
 *
 * These are control characters, bytes that are not UTF-8, separators of lines and paragraphs, and
 * characters that change the direction of text. Each byte of them becomes a '?'.
 */
void ktrace_out_safe(struct ktrace_out *out, const char *s);
/** ktrace_out_quoted - bytes as a C string literal; UTF-8 stays, if ktrace_out_safe() keeps it */
void ktrace_out_quoted(struct ktrace_out *out, const char *s, size_t n);
/** ktrace_out_utf8 - bytes as they are; what is not UTF-8 becomes U+FFFD */
void ktrace_out_utf8(struct ktrace_out *out, const char *s, size_t n);
/** ktrace_out_json - bytes as a JSON string; what is not UTF-8 becomes U+FFFD */
void ktrace_out_json(struct ktrace_out *out, const char *s, size_t n);

/** ktrace_value_text - the value for people: numbers, names, "strings", {a, b} */
void ktrace_value_text(struct ktrace_out *out, const struct ktrace_value *v);

/**
 * ktrace_fields_text - all fields of a payload for people: " name=value" each
 *
 * Return: true, or false if the payload is shorter than its type.
 */
bool ktrace_fields_text(struct ktrace_out *out, const struct ktrace_event_type *type,
			const void *payload, size_t len);

/**
 * ktrace_value_json - the value for programs
 *
 * Integers are numbers, x* and ptr strings "0x...", enums their name as a string or
 * a number if it has none, floats numbers or null, char arrays and strings strings,
 * arrays arrays.
 */
void ktrace_value_json(struct ktrace_out *out, const struct ktrace_value *v);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
