/* SPDX-License-Identifier: GPL-2.0 */
/* truthful.h - do the headers of a set's sections fit their records? */
#ifndef KTRACE_FUZZ_TRUTHFUL_H
#define KTRACE_FUZZ_TRUTHFUL_H

#include "../../userspace/lib/traceset/set.h"

/*
 * Is a record later than the headers before it say, or a loss later than what follows? A
 * loss that says nothing new in a scan may be new after a seek, and then it has a place.
 */
static inline bool is_lying(const struct entry *e, struct kt_cursor cur, __u64 *loss)
{
	struct ktrace_record rec;
	const char *payload;

	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD) {
		if (rec.ts > e->max_raw || (rec.id != KTRACE_ID_LOST && rec.ts < *loss))
			return true;
		if (rec.id == KTRACE_ID_LOST && rec.ts > *loss)
			*loss = rec.ts;
	}
	return false;
}

static inline bool is_truthful_stream(struct stream *s, struct section_buf *b)
{
	__u64 loss = 0;
	size_t i;

	for (i = 0; i < s->entry_nr; i++) {
		const struct entry *e = &s->entries[i];
		struct kt_cursor cur = { .off = 0 };

		if (e->place & ENTRY_BAD ||
		    ktrace_reader_load_next(trace_reader(s->trace, entry_offset(e)),
					    entry_offset(e), entry_end(e), b))
			continue;
		if (e->place & ENTRY_LOST) {
			loss = b->section.first_ts > loss ? b->section.first_ts : loss;
			continue;
		}
		cur.base = b->body;
		cur.end = b->size;
		if (is_lying(e, cur, &loss))
			return false;
		cur.off = b->size >= 64 && !(b->section.pos & 4095) ? 64 : 0;
		if (is_lying(e, cur, &loss))
			return false;
	}
	return true;
}

/* True if the headers of all sections say the truth about their records: a seek relies on that. */
static inline bool is_truthful(const struct ktrace_traceset *set)
{
	size_t i, j;

	for (i = 0; i < set->trace_nr; i++)
		for (j = 0; j < set->traces[i]->stream_nr; j++) {
			struct section_buf b = { 0 };
			bool is_good = is_truthful_stream(set->traces[i]->streams[j], &b);

			ktrace_section_buf_free(&b);
			if (!is_good)
				return false;
		}
	return true;
}

#endif
