// SPDX-License-Identifier: GPL-2.0
/* text.c - turns text of CTF into UTF-8 */
#include "text.h"

#include <string.h>

/* Returns the bytes of a unit. */
static unsigned int unit_of(enum ctf_encoding encoding)
{
	return encoding == CTF_UTF8 ? 1 :
	       encoding == CTF_UTF16BE || encoding == CTF_UTF16LE ? 2 : 4;
}

static __u32 unit_at(enum ctf_encoding encoding, const unsigned char *from)
{
	const bool is_big = encoding == CTF_UTF16BE || encoding == CTF_UTF32BE;
	const unsigned int n = unit_of(encoding);
	__u32 v = 0;

	for (unsigned int i = 0; i < n; i++)
		v = v << 8 | from[is_big ? i : n - 1 - i];
	return v;
}

__u64 text_find_end(enum ctf_encoding encoding, const unsigned char *from, __u64 left)
{
	const unsigned int n = unit_of(encoding);
	const unsigned char *end;

	if (n == 1) {
		end = left ? memchr(from, 0, left) : NULL;
		return end ? (__u64)(end - from) + 1 : left + 1;
	}
	for (__u64 at = 0; at + n <= left; at += n)
		if (!unit_at(encoding, from + at))
			return at + n;
	return left + 1;
}

size_t text_room(enum ctf_encoding encoding, __u64 nr)
{
	/* A unit of 16 bits has at most 3 bytes of UTF-8, one of 32 bits has 4. */
	return (size_t)(encoding == CTF_UTF8 ? nr : 2 * nr) + 4;
}

static char *put_utf8(char *to, __u32 c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

__u64 text_to_utf8(enum ctf_encoding encoding, const unsigned char *from, __u64 nr, char *to)
{
	const unsigned int n = unit_of(encoding);
	char *at = to;
	__u32 c, low;

	if (n == 1) {
		nr = strnlen((const char *)from, nr);
		memcpy(to, from, nr);
		to[nr] = 0;
		return nr;
	}
	for (__u64 i = 0; i + n <= nr && (c = unit_at(encoding, from + i)); i += n) {
		low = n == 2 && i + 4 <= nr ? unit_at(encoding, from + i + 2) : 0;
		if (n == 2 && c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			i += 2;
		}
		at = put_utf8(at, c);
	}
	*at = 0;
	return (__u64)(at - to);
}
