/* SPDX-License-Identifier: LGPL-2.1 */
/* format_type.h - C types, as the kernel's descriptions of events name them */
#ifndef KTRACE_DECODE_FORMAT_TYPE_H
#define KTRACE_DECODE_FORMAT_TYPE_H

#include <ktrace/decode.h>

/**
 * struct c_type - properties of a type, from its name
 * @size:	bytes of one value, 0 = unknown from the name
 * @is_char:	plain char: arrays of them are text
 * @is_pointer:	an address
 * @is_struct:	struct or union: bytes of any number
 * @is_mask:	a mask of CPUs
 */
struct c_type {
	__u32 size;
	bool is_char;
	bool is_pointer;
	bool is_struct;
	bool is_mask;
};

/* Reads the type named by the @len bytes at @text. */
struct c_type ktrace_c_type(const char *text, size_t len);

/* True if the event's text for printing, or NULL, shows field @name in hexadecimal. */
bool ktrace_format_is_hex(const char *print, const char *name);

/* True if it shows the field as a mask of bits or CPUs. */
bool ktrace_format_is_mask(const char *print, const char *name);

#endif
