/* SPDX-License-Identifier: LGPL-2.1 */
/* out.h - writing text into a buffer: functions so short that a call would cost more */
#ifndef KTRACE_DECODE_OUT_H
#define KTRACE_DECODE_OUT_H

#include <ktrace/decode.h>

#include <endian.h>
#include <string.h>

#define EIGHT_DIGITS 100000000u
#define LABEL_ROOM 16u	/* bytes that may be read at any label: see describe.c */

bool ktrace_out_make_room(struct ktrace_out *out);

/* Makes room for @n <= KTRACE_OUT_MIN more bytes. */
static inline bool has_room(struct ktrace_out *out, size_t n)
{
	return __builtin_expect(out->cap - out->len >= n, 1) || ktrace_out_make_room(out);
}

/*
 * Returns the 8 digits of @v, below EIGHT_DIGITS, one a byte, the first in the lowest: splits into
 * halves, quarters and eighths, all parts at once. A product with a rounded-up inverse is exact for
 * numbers so small.
 */
static inline __u64 eight_digits(__u32 v)
{
	__u64 part = v / 10000 | (__u64)(v % 10000) << 32, tens;

	tens = (part * 10486 >> 20) & 0x0000007f0000007full;
	part = tens | (part - tens * 100) << 16;
	tens = (part * 103 >> 10) & 0x000f000f000f000full;
	return tens | (part - tens * 10) << 8;
}

/* Writes @v, below EIGHT_DIGITS, with at least @digits digits, 1 to 8. */
static inline void put_eight(struct ktrace_out *out, __u32 v, unsigned int digits)
{
	__u64 text = eight_digits(v);
	unsigned int zeros = (unsigned int)__builtin_ctzll(text | 1ull << 56) / 8;

	if (!has_room(out, 8))
		return;
	zeros = zeros < 8 - digits ? zeros : 8 - digits;
	text = htole64((text | 0x3030303030303030ull) >> 8 * zeros);
	memcpy(out->buf + out->len, &text, sizeof(text));
	out->len += 8 - zeros;
}

static inline void put_u64(struct ktrace_out *out, __u64 v)
{
	if (v < EIGHT_DIGITS)
		put_eight(out, (__u32)v, 1);
	else
		ktrace_out_dec(out, v, 1);
}

/* Writes the label of a field. Most labels are short, and copied with a fixed length. */
static inline void put_label(struct ktrace_out *out, const struct ktrace_field *f)
{
	if (f->label_size > LABEL_ROOM || out->cap - out->len < LABEL_ROOM) {
		ktrace_out_bytes(out, f->label, f->label_size);
		return;
	}
	memcpy(out->buf + out->len, f->label, LABEL_ROOM);
	out->len += f->label_size;
}

#endif
