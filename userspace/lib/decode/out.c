// SPDX-License-Identifier: LGPL-2.1
/*
 * out.c - writes text into a buffer, in the pieces that listings are made of
 *
 * A piece of bounded size asks for room first and then stores without checks; text of any length is
 * cut into such pieces.
 */
#include "out.h"

#include <errno.h>
#include <string.h>

#define PIECE 64u

/* Flushes the buffer for has_room(). Returns false if that fails or there is no flush function. */
bool ktrace_out_make_room(struct ktrace_out *out)
{
	int ret;

	if (out->error)
		return false;
	ret = out->flush ? out->flush(out) : -ENOSPC;
	if (ret)
		out->error = ret;
	return !ret;
}

/*
 * Copies up to PIECE bytes. Does not use memcpy(3), whose call costs more than the copy: most
 * pieces are a few letters. Beginning and end may overlap.
 */
static inline void copy_piece(char *to, const char *from, size_t n)
{
	if (n > 32) {
		__builtin_memcpy(to, from, 32);
		__builtin_memcpy(to + n - 32, from + n - 32, 32);
	} else if (n >= 16) {
		__builtin_memcpy(to, from, 16);
		__builtin_memcpy(to + n - 16, from + n - 16, 16);
	} else if (n >= 8) {
		__builtin_memcpy(to, from, 8);
		__builtin_memcpy(to + n - 8, from + n - 8, 8);
	} else if (n >= 4) {
		__builtin_memcpy(to, from, 4);
		__builtin_memcpy(to + n - 4, from + n - 4, 4);
	} else {
		while (n--)
			to[n] = from[n];
	}
}

static __attribute__((noinline)) void put_pieces(struct ktrace_out *out, const char *s, size_t n)
{
	size_t piece;

	for (; n; s += piece, n -= piece) {
		piece = n < PIECE ? n : PIECE;
		if (!has_room(out, piece))
			return;
		copy_piece(out->buf + out->len, s, piece);
		out->len += piece;
	}
}

void ktrace_out_bytes(struct ktrace_out *out, const char *s, size_t n)
{
	if (n > PIECE || out->cap - out->len < n) {
		put_pieces(out, s, n);
		return;
	}
	copy_piece(out->buf + out->len, s, n);
	out->len += n;
}

void ktrace_out_dec(struct ktrace_out *out, __u64 v, unsigned int digits)
{
	if (v < EIGHT_DIGITS && digits <= 8) {
		put_eight(out, (__u32)v, digits ? digits : 1);
		return;
	}
	if (digits <= 9 && v < 10ull * EIGHT_DIGITS)
		ktrace_out_char(out, (char)('0' + v / EIGHT_DIGITS));
	else
		ktrace_out_dec(out, v / EIGHT_DIGITS, digits > 8 ? digits - 8 : 1);
	put_eight(out, (__u32)(v % EIGHT_DIGITS), 8);
}

void ktrace_out_u64(struct ktrace_out *out, __u64 v)
{
	put_u64(out, v);
}

void ktrace_out_s64(struct ktrace_out *out, __s64 v)
{
	if (v < 0)
		ktrace_out_char(out, '-');
	ktrace_out_dec(out, v < 0 ? -(__u64)v : (__u64)v, 1);
}

void ktrace_out_hex(struct ktrace_out *out, __u64 v, unsigned int digits)
{
	char text[16];
	char *end = text + sizeof(text);
	char *at = end;

	do {
		*--at = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	while (end - at < (long)digits && at > text)
		*--at = '0';
	ktrace_out_bytes(out, at, (size_t)(end - at));
}

void ktrace_out_pad(struct ktrace_out *out, size_t from, size_t width)
{
	size_t n = width - (out->len - from);

	if (out->len - from >= width)
		return;
	if (n > PIECE || !has_room(out, n)) {
		while (!out->error && out->len - from < width)
			ktrace_out_char(out, ' ');
		return;
	}
	memset(out->buf + out->len, ' ', n);
	out->len += n;
}

/* Returns how many bytes from @s on need no escape in a C or JSON string. */
static size_t plain_run(const char *s, size_t n)
{
	static const bool is_plain[256] = {
		[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true,
	};
	size_t i = 0;

	while (i < n && is_plain[(unsigned char)s[i]])
		i++;
	return i;
}

/* Writes an escape that C and JSON have in common; returns false if @c needs another. */
static bool put_short_escape(struct ktrace_out *out, char c)
{
	static const char from[] = "\"\\\n\t\r\b\f";
	static const char to[] = "\"\\ntrbf";
	const char *at = c ? strchr(from, c) : NULL;

	if (!at)
		return false;
	ktrace_out_char(out, '\\');
	ktrace_out_char(out, to[at - from]);
	return true;
}

/*
 * Returns the length of the UTF-8 sequence at @s that encodes a character above 0x7f, and the
 * character in @out; 0 = none.
 */
static size_t utf8_length(const char *text, size_t n, __u32 *out)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
	__u32 code = *s & (0x7f >> len);
	size_t i;

	if (*s < 0xc2 || *s > 0xf4 || n < len)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if ((len == 3 && code < 0x800) || (len == 4 && code < 0x10000) || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*out = code;
	return len;
}

/*
 * True for characters above 0x7f that a terminal or a browser obeys: the second set of control
 * characters, ends of lines and paragraphs, and those that change the direction of text, so that a
 * name could reverse the text after it.
 */
static bool is_obeyed(__u32 code)
{
	return code < 0xa0 || code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Like utf8_length(), but returns 0 for characters that are obeyed. */
static size_t printable_length(const char *s, size_t n)
{
	__u32 code = 0;
	size_t len = utf8_length(s, n, &code);

	return len && is_obeyed(code) ? 0 : len;
}

void ktrace_out_utf8(struct ktrace_out *out, const char *s, size_t n)
{
	size_t len;
	__u32 code;

	for (; n; s += len, n -= len) {
		len = (unsigned char)*s >= 0x80 ? utf8_length(s, n, &code) : 1;
		if (len) {
			ktrace_out_bytes(out, s, len);
		} else {
			ktrace_out_str(out, "\xef\xbf\xbd");
			len = 1;
		}
	}
}

void ktrace_out_safe(struct ktrace_out *out, const char *s)
{
	size_t len;

	for (; *s; s += len) {
		len = (unsigned char)*s >= 0x80 ? printable_length(s, strnlen(s, 4)) :
						  *s >= 0x20 && *s != 0x7f;
		if (len) {
			ktrace_out_bytes(out, s, len);
		} else {
			ktrace_out_char(out, '?');
			len = 1;
		}
	}
}

/*
 * Writes @s in quotes; @special writes a character that needs care, and returns how many bytes it
 * took. Inline, so that this is a direct call.
 */
static inline __attribute__((always_inline))
void put_string(struct ktrace_out *out, const char *s, size_t n,
		size_t (*special)(struct ktrace_out *out, const char *s, size_t n))
{
	size_t run;

	ktrace_out_char(out, '"');
	while (n) {
		run = plain_run(s, n);
		ktrace_out_bytes(out, s, run);
		s += run;
		n -= run;
		if (!n)
			break;
		run = special(out, s, n);
		s += run;
		n -= run;
	}
	ktrace_out_char(out, '"');
}

/* Writes one character that needs care in text */
static size_t put_quoted_special(struct ktrace_out *out, const char *s, size_t n)
{
	size_t len = (unsigned char)*s < 0x80 ? 0 : printable_length(s, n);

	if (len) {
		ktrace_out_bytes(out, s, len);
		return len;
	}
	if (!put_short_escape(out, *s)) {
		ktrace_out_str(out, "\\x");
		ktrace_out_hex(out, (unsigned char)*s, 2);
	}
	return 1;
}

void ktrace_out_quoted(struct ktrace_out *out, const char *s, size_t n)
{
	put_string(out, s, n, put_quoted_special);
}

/* Does the same in JSON */
static size_t put_json_special(struct ktrace_out *out, const char *s, size_t n)
{
	__u32 code = (unsigned char)*s;
	size_t len;

	if (put_short_escape(out, *s))
		return 1;
	len = code < 0x80 ? 1 : utf8_length(s, n, &code);
	if (len && code >= 0x80 && !is_obeyed(code)) {
		ktrace_out_bytes(out, s, len);
		return len;
	}
	/* Characters that are obeyed have at most four digits. */
	ktrace_out_str(out, "\\u");
	ktrace_out_hex(out, len ? code : 0xfffd, 4);
	return len ? len : 1;
}

void ktrace_out_json(struct ktrace_out *out, const char *s, size_t n)
{
	put_string(out, s, n, put_json_special);
}
