// SPDX-License-Identifier: LGPL-2.1
/*
 * out.c - text into a buffer: the pieces that listings are made of
 *
 * A piece of bounded size asks for room first and then stores without checks; text of
 * any length is cut into such pieces.
 */
#include <ktrace/decode.h>

#include <errno.h>
#include <string.h>

#define PIECE 64u

/* Room for @n <= PIECE more bytes. */
static bool has_room(struct ktrace_out *out, size_t n)
{
	int ret;

	if (out->cap - out->len >= n)
		return true;
	if (out->error)
		return false;
	ret = out->flush ? out->flush(out) : -ENOSPC;
	if (ret)
		out->error = ret;
	return !ret;
}

static void put(struct ktrace_out *out, const char *s, size_t n)
{
	size_t piece;

	for (; n; s += piece, n -= piece) {
		piece = n < PIECE ? n : PIECE;
		if (!has_room(out, piece))
			return;
		memcpy(out->buf + out->len, s, piece);
		out->len += piece;
	}
}

void ktrace_out_char(struct ktrace_out *out, char c)
{
	if (has_room(out, 1))
		out->buf[out->len++] = c;
}

void ktrace_out_str(struct ktrace_out *out, const char *s)
{
	put(out, s, strlen(s));
}

/* Digits of @v, right-aligned to @end; returns the first. */
static char *digits_of(char *end, __u64 v)
{
	static const char pairs[201] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";

	for (; v >= 100; v /= 100) {
		end -= 2;
		memcpy(end, pairs + 2 * (v % 100), 2);
	}
	if (v < 10) {
		*--end = (char)('0' + v);
		return end;
	}
	end -= 2;
	memcpy(end, pairs + 2 * v, 2);
	return end;
}

void ktrace_out_dec(struct ktrace_out *out, __u64 v, unsigned int digits)
{
	char text[32];
	char *end = text + sizeof(text);
	char *at = digits_of(end, v);

	while (end - at < (long)digits && at > text)
		*--at = '0';
	put(out, at, (size_t)(end - at));
}

void ktrace_out_u64(struct ktrace_out *out, __u64 v)
{
	ktrace_out_dec(out, v, 1);
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
	put(out, at, (size_t)(end - at));
}

void ktrace_out_pad(struct ktrace_out *out, size_t from, size_t width)
{
	while (!out->error && out->len - from < width)
		ktrace_out_char(out, ' ');
}

/* Bytes from @s on that need no escape in a C or JSON string. */
static size_t plain_run(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || (unsigned char)s[i] >= 0x7f ||
		    s[i] == '"' || s[i] == '\\')
			break;
	return i;
}

/* The escapes that C and JSON have in common; false: @c needs another. */
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

/* Length of the UTF-8 sequence at @s that encodes a character above 0x7f, 0 = none. */
static size_t utf8_length(const char *text, size_t n)
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
	return len;
}

/* As utf8_length(), but 0 for the second set of control characters, C2 80 to C2 9F. */
static size_t printable_length(const char *s, size_t n)
{
	size_t len = utf8_length(s, n);

	/* Only then there is a second byte. */
	return len == 2 && (unsigned char)s[0] == 0xc2 && (unsigned char)s[1] < 0xa0 ? 0 : len;
}

void ktrace_out_safe(struct ktrace_out *out, const char *s)
{
	size_t len;

	for (; *s; s += len) {
		len = (unsigned char)*s >= 0x80 ? printable_length(s, strnlen(s, 4)) :
						  *s >= 0x20 && *s != 0x7f;
		if (len) {
			put(out, s, len);
		} else {
			ktrace_out_char(out, '?');
			len = 1;
		}
	}
}

/* One character that needs care; returns how many bytes it took. */
static size_t put_quoted_special(struct ktrace_out *out, const char *s, size_t n)
{
	size_t len = (unsigned char)*s < 0x80 ? 0 : printable_length(s, n);

	if (len) {
		put(out, s, len);
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
	size_t run;

	ktrace_out_char(out, '"');
	while (n) {
		run = plain_run(s, n);
		put(out, s, run);
		s += run;
		n -= run;
		if (!n)
			break;
		run = put_quoted_special(out, s, n);
		s += run;
		n -= run;
	}
	ktrace_out_char(out, '"');
}

/* The same for JSON. */
static size_t put_json_special(struct ktrace_out *out, const char *s, size_t n)
{
	size_t len;

	if (put_short_escape(out, *s))
		return 1;
	if ((unsigned char)*s < 0x80) {
		ktrace_out_str(out, "\\u");
		ktrace_out_hex(out, (unsigned char)*s, 4);
		return 1;
	}
	len = utf8_length(s, n);
	if (!len) {
		ktrace_out_str(out, "\\ufffd");
		return 1;
	}
	if (printable_length(s, n)) {
		put(out, s, len);
	} else {
		ktrace_out_str(out, "\\u");
		ktrace_out_hex(out, (unsigned char)s[1], 4);
	}
	return len;
}

void ktrace_out_json(struct ktrace_out *out, const char *s, size_t n)
{
	size_t run;

	ktrace_out_char(out, '"');
	while (n) {
		run = plain_run(s, n);
		put(out, s, run);
		s += run;
		n -= run;
		if (!n)
			break;
		run = put_json_special(out, s, n);
		s += run;
		n -= run;
	}
	ktrace_out_char(out, '"');
}
