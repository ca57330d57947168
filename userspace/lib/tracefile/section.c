// SPDX-License-Identifier: LGPL-2.1
/*
 * section.c - the one table of section types
 *
 * A new type is a value of enum ktrace_section_type and a row here; then a walk knows how to treat
 * its sections and returns those with content.
 */
#include "section.h"

#include <string.h>

static const struct section_type types[] = {
	[KTRACE_SECTION_META] = { .size_max = KTRACE_META_SIZE_MAX, .has_content = true },
	[KTRACE_SECTION_BLOCK] = { .size_max = KTRACE_BLOCK_MAX, .has_content = true },
	[KTRACE_SECTION_LOST] = { .size_max = KTRACE_LOST_SIZE_MAX, .has_content = true },
	[KTRACE_SECTION_INDEX] = { .size_max = KTRACE_SECTION_SIZE_MAX },
	[KTRACE_SECTION_END] = { .size_max = 0 },
	[KTRACE_SECTION_COUNTS] = { .size_max = KTRACE_COUNTS_SIZE_MAX, .has_content = true },
};

/* Returns NULL for an unknown type */
const struct section_type *ktrace_section_type(__u32 type)
{
	return type && type < sizeof(types) / sizeof(types[0]) ? &types[type] : NULL;
}

bool ktrace_section_has_content(__u32 type)
{
	const struct section_type *t = ktrace_section_type(type);

	return t && t->has_content;
}

/* True if the numbers of a header are possible. */
bool ktrace_section_is_possible(const struct ktrace_section *s)
{
	const struct section_type *t = ktrace_section_type(s->type);

	return s->magic == KTRACE_SECTION_MAGIC &&
	       s->size <= (t ? t->size_max : KTRACE_SECTION_SIZE_MAX);
}

/* True if the body is stored unchanged. */
bool ktrace_section_is_plain(const struct ktrace_section *s)
{
	return !(s->flags & ~KTRACE_SECTION_MAY_IGNORE) && s->raw_size == s->size;
}

/*
 * True if it is a block stored as a zstd frame. If it is neither this nor plain, its storage is
 * unknown.
 */
bool ktrace_section_is_compressed(const struct ktrace_section *s)
{
	return s->type == KTRACE_SECTION_BLOCK &&
	       (s->flags & ~KTRACE_SECTION_MAY_IGNORE) == KTRACE_SECTION_ZSTD;
}

/*
 * Copies the counts of a LOST body, with zeros after a shorter one. Returns false if it counts
 * losses for unknown reasons.
 */
bool ktrace_section_lost(struct ktrace_lost *lost, const void *body, size_t size)
{
	const unsigned char *bytes = body;
	size_t at = sizeof(*lost);

	memset(lost, 0, sizeof(*lost));
	memcpy(lost, body, size < sizeof(*lost) ? size : sizeof(*lost));
	while (at < size && !bytes[at])
		at++;
	return at >= size;
}
