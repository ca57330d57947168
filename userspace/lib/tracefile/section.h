/* SPDX-License-Identifier: LGPL-2.1 */
/* section.h - what is known about each type of section */
#ifndef KTRACE_TRACEFILE_SECTION_H
#define KTRACE_TRACEFILE_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/ktrace_file.h>

/**
 * struct section_type - one type
 * @size_max:	longest body
 * @has_content: it is part of the recording: INDEX lists it, walking returns it
 */
struct section_type {
	__u32 size_max;
	bool has_content;
};

const struct section_type *ktrace_section_type(__u32 type);
bool ktrace_section_has_content(__u32 type);
bool ktrace_section_is_possible(const struct ktrace_section *s);
bool ktrace_section_is_plain(const struct ktrace_section *s);
bool ktrace_section_is_compressed(const struct ktrace_section *s);
bool ktrace_section_lost(struct ktrace_lost *lost, const void *body, size_t size);

/* Returns the index entry of a section at @offset */
static inline struct ktrace_index ktrace_section_entry(const struct ktrace_section *s,
						       __u64 offset)
{
	return (struct ktrace_index){
		.offset = offset, .first_ts = s->first_ts, .last_ts = s->last_ts, .pos = s->pos,
		.stream = s->stream, .records = s->records, .type = s->type, .lost = s->lost,
	};
}

#endif
