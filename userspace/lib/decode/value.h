/* SPDX-License-Identifier: LGPL-2.1 */
/* value.h - fields of a payload, and their elements, which need not be aligned */
#ifndef KTRACE_DECODE_VALUE_H
#define KTRACE_DECODE_VALUE_H

#include <ktrace/decode.h>

#include <stdbool.h>
#include <string.h>

#define ELEMENT(type, data) ({ type e_; memcpy(&e_, data, sizeof(e_)); e_; })

static inline bool is_signed(enum ktrace_scalar scalar)
{
	return scalar == KTRACE_S8 || scalar == KTRACE_S16 || scalar == KTRACE_S32 ||
	       scalar == KTRACE_S64;
}

/*
 * Returns the bytes of a field if they are the same in all payloads; 0: they differ, or are too
 * many.
 */
static inline __u32 fixed_size(const struct ktrace_field *f)
{
	__u64 size = f->size;

	if (f->shape == KTRACE_FIXED)
		size *= f->count;
	return f->shape <= KTRACE_FIXED && size <= KTRACE_DESC_SIZE_MAX ? (__u32)size : 0;
}

/* Returns the integer at @at, all 64 bits of unsigned ones; 0 for floats. */
static inline __s64 integer_at(const char *at, enum ktrace_scalar scalar)
{
	switch (scalar) {
	case KTRACE_S8:
		return ELEMENT(__s8, at);
	case KTRACE_U8:
	case KTRACE_X8:
	case KTRACE_CHAR:
		return ELEMENT(__u8, at);
	case KTRACE_S16:
		return ELEMENT(__s16, at);
	case KTRACE_U16:
	case KTRACE_X16:
		return ELEMENT(__u16, at);
	case KTRACE_S32:
		return ELEMENT(__s32, at);
	case KTRACE_U32:
	case KTRACE_X32:
		return ELEMENT(__u32, at);
	case KTRACE_F32:
	case KTRACE_F64:
		return 0;
	default:
		return ELEMENT(__s64, at);
	}
}

#endif
