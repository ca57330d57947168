// SPDX-License-Identifier: LGPL-2.1
/* text.c - the text of an entry in the registry: key=value, as <linux/ktrace_file.h> says */
#include "text.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/build_id.h"

static void add_char(struct text *t, char c)
{
	if (t->len < t->size - 1)
		t->text[t->len++] = c;
	t->text[t->len] = '\0';
}

static void add_hex(struct text *t, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";

	add_char(t, digits[byte >> 4]);
	add_char(t, digits[byte & 15]);
}

void text_add_value(struct text *t, const char *key, const char *value)
{
	if (t->len)
		add_char(t, ' ');
	for (; *key; key++)
		add_char(t, *key);
	add_char(t, '=');
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c > 0x20 && c != 0x7f && c != '%') {
			add_char(t, *value);
			continue;
		}
		add_char(t, '%');
		add_hex(t, c);
	}
}

void text_add_number(struct text *t, const char *key, __u64 value)
{
	char digits[21] = "", *at = digits + sizeof(digits) - 1;

	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_add_value(t, key, at);
}

/* Adds the build id found in the notes from @at to @end, which may be malformed. */
bool text_add_build_id(struct text *t, const char *at, const char *end)
{
	size_t nr;
	const unsigned char *id = build_id_find(at, (size_t)(end - at), &nr);

	if (!id)
		return false;
	text_add_value(t, "build", "");
	while (nr--)
		add_hex(t, *id++);
	return true;
}
