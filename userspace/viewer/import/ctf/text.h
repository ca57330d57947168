/* SPDX-License-Identifier: GPL-2.0 */
/* text.h - turns text of CTF into UTF-8 */
#ifndef VIEWER_IMPORT_CTF_TEXT_H
#define VIEWER_IMPORT_CTF_TEXT_H

#include "schema.h"

/* Returns the bytes up to and with the 0 that ends the text; @left + 1: none is there. */
__u64 text_find_end(enum ctf_encoding encoding, const unsigned char *from, __u64 left);
/* Returns the bytes that text_to_utf8() may need. */
size_t text_room(enum ctf_encoding encoding, __u64 nr);
/*
 * Converts @nr bytes, up to a 0, and ends the result with one; what is no character becomes U+FFFD.
 * UTF-8 is copied as it is. Returns the bytes of the result.
 */
__u64 text_to_utf8(enum ctf_encoding encoding, const unsigned char *from, __u64 nr, char *to);

#endif
