/* SPDX-License-Identifier: LGPL-2.1 */
/* text.h - builds the text of an entry in the registry */
#ifndef KTRACE_WRITER_TEXT_H
#define KTRACE_WRITER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* A line being built; anything that does not fit is left out. @size: room in @text. */
struct text {
	char *text;
	size_t size;
	size_t len;
};

void text_add_value(struct text *t, const char *key, const char *value);
void text_add_number(struct text *t, const char *key, __u64 value);
bool text_add_build_id(struct text *t, const char *at, const char *end);

/* True if something may have been left out. */
static inline bool text_is_full(const struct text *t)
{
	return t->len + 1 >= t->size;
}

#endif
