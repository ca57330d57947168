// SPDX-License-Identifier: LGPL-2.1
/*
 * seek.c - moves a stream to the section with its first event at or after a time
 *
 * Sections carry the largest stamp up to their end, so a binary search finds the section without
 * loading any. If it begins with a later fragment of an event, reading begins as many sections
 * earlier as the event does.
 *
 * Losses before that place were already reported: the counts are recovered from the nearest LOST
 * section before, and from the LOST record in the opening of the block where the count in block
 * headers last changed, found by binary search too.
 */
#include "trace.h"

#include <string.h>

#include "base/search.h"

/* Returns the number of the first section that can have an event at or after @time. */
static size_t first_entry(struct stream *s, __u64 time)
{
	return PARTITION_POINT(s->entry_nr, i, stream_time(s, s->entries[i].max_raw) < time);
}

/**
 * struct opening - the beginning of the block in a section; a section that continues a block has
 * none
 * @section:	header of the section
 * @block:	header of the block
 * @rec:	the first record, 0 if the section ends before a LOST record would
 * @lost:	its payload
 */
struct opening {
	struct ktrace_section section;
	struct ktrace_block block;
	struct {
		struct ktrace_record rec;
		struct ktrace_lost lost;
	} first;
};

/*
 * Reads bytes from @at on of a body as it was in the ring; @b receives the body of a compressed
 * section.
 */
static bool read_body(const struct stream *s, const struct entry *e, struct section_buf *b,
		      const struct ktrace_section *sec, __u32 at, void *bytes, __u32 size)
{
	const struct reader *r = trace_reader(s->trace, entry_offset(e));

	if (!ktrace_section_is_compressed(sec))
		return at + size <= sec->size &&
		       !ktrace_reader_bytes(r, entry_offset(e) + sizeof(*sec) + at, bytes, size);
	if (ktrace_reader_load_next(r, entry_offset(e), entry_end(e), b) || at + size > b->size)
		return false;
	memcpy(bytes, b->body + at, size);
	return true;
}

static bool read_opening(const struct stream *s, const struct entry *e, struct section_buf *b,
			 struct opening *o)
{
	const struct reader *r = trace_reader(s->trace, entry_offset(e));

	if (e->place & (ENTRY_LOST | ENTRY_BAD) ||
	    ktrace_reader_header(r, entry_offset(e), &o->section) ||
	    !read_body(s, e, b, &o->section, 0, &o->block, sizeof(o->block)))
		return false;
	if (!read_body(s, e, b, &o->section, sizeof(o->block), &o->first, sizeof(o->first)))
		memset(&o->first, 0, sizeof(o->first));
	return o->block.magic == KTRACE_BLOCK_MAGIC && o->block.pos == o->section.pos;
}

/* Finds the last opening in sections [first, last]; returns its number, or -1 if there is none. */
static long last_opening(const struct stream *s, size_t first, size_t last,
			 struct section_buf *b, struct opening *o)
{
	size_t i;

	for (i = last + 1; i-- > first;)
		if (read_opening(s, &s->entries[i], b, o))
			return (long)i;
	return -1;
}

/* Takes the counts of the LOST record that explains the count in a block header. */
static void see_lost_records(struct stream *s, size_t end, struct section_buf *b)
{
	struct opening o, probe;
	struct ktrace_lost counts;
	size_t low = 0, high;
	long i = end ? last_opening(s, 0, end - 1, b, &o) : -1;
	__u64 lost;

	if (i < 0 || !o.block.lost)
		return;
	lost = o.block.lost;
	high = (size_t)i;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		i = last_opening(s, low, middle, b, &probe);
		if (i >= 0 && probe.block.lost >= lost) {
			high = (size_t)i;
			o = probe;
		} else {
			low = middle + 1;
		}
	}
	if (o.first.rec.id == KTRACE_ID_LOST && o.first.rec.len >= sizeof(o.first.lost)) {
		ktrace_lost_of_writers(&counts, &o.first.lost, sizeof(o.first.lost));
		ktrace_stream_see_lost(s, &counts);
	}
}

static void see_lost_section(struct stream *s, size_t end)
{
	struct ktrace_lost lost;
	size_t i = end;
	__u64 at;

	while (i && (s->entries[i - 1].place & (ENTRY_LOST | ENTRY_BAD)) != ENTRY_LOST)
		i--;
	if (!i)
		return;
	at = entry_offset(&s->entries[i - 1]);
	if (!ktrace_reader_lost(trace_reader(s->trace, at), at, &lost))
		ktrace_stream_see_lost(s, &lost);
}

/*
 * True if the section begins with a fragment that is not the first of its event. If it is
 * compressed, it is the loaded section afterwards.
 */
static bool continues_event(struct stream *s, const struct entry *e)
{
	struct ktrace_section sec;
	struct ktrace_record rec;
	struct opening o;
	__u32 at = 0;

	if (e->place & (ENTRY_LOST | ENTRY_BAD))
		return false;
	if (read_opening(s, e, &s->loaded, &o)) {
		at = sizeof(o.block);
		if (o.first.rec.id == KTRACE_ID_LOST)
			at += (__u32)KTRACE_RECORD_SIZE(o.first.rec.len);
	}
	return !ktrace_reader_header(trace_reader(s->trace, entry_offset(e)), entry_offset(e),
				     &sec) &&
	       read_body(s, e, &s->loaded, &sec, at, &rec, sizeof(rec)) &&
	       rec.id >= KTRACE_ID_FIRST && (rec.tid_flags & KTRACE_REC_FRAG_NEXT);
}

/* Sets what shows missing blocks before section @entry, from the headers of those before it. */
static void see_end(struct stream *s, size_t entry)
{
	struct ktrace_section sec;
	const struct entry *e;

	while (entry--) {
		e = &s->entries[entry];
		if ((e->place & (ENTRY_LOST | ENTRY_BAD)) == ENTRY_LOST)
			continue;
		if (e->place & ENTRY_BAD) {
			s->end_pos = END_UNKNOWN;
			continue;
		}
		if (ktrace_reader_header(trace_reader(s->trace, entry_offset(e)),
					 entry_offset(e), &sec)) {
			s->end_pos = END_UNKNOWN;	/* one is enough: a file may have many */
			return;
		}
		s->before_raw = sec.last_ts;
		if (s->end_pos != END_UNKNOWN)
			s->end_pos = sec.pos + sec.raw_size;
		return;
	}
}

/*
 * Goes to the section with the first event of @s at or after @time, or before it, and to the first
 * event there, which may be before @time. Missing blocks before that section are noticed.
 * @sees_gap: starts one more section earlier, so that the section before is checked, too. Returns
 * 1, 0 if there is no event, -ENOMEM.
 */
int ktrace_stream_seek(struct stream *s, __u64 time, bool sees_gap)
{
	size_t entry = first_entry(s, time);
	size_t least = entry > SECTIONS_BACK ? entry - SECTIONS_BACK : 0;
	struct section_buf peeked = { 0 };
	int ret;

	while (entry > least && entry < s->entry_nr && continues_event(s, &s->entries[entry]))
		entry--;
	while (sees_gap && entry) {
		entry--;
		sees_gap = s->entries[entry].place & (ENTRY_LOST | ENTRY_BAD);
	}
	s->sought = entry;
	ktrace_stream_rewind(s, entry);
	see_end(s, entry);
	memcpy(s->seen, s->base_lost, sizeof(s->seen));
	see_lost_records(s, entry, &peeked);
	ktrace_section_buf_free(&peeked);
	see_lost_section(s, entry);
	ret = stream_next(s);
	s->has_event = ret == 1;
	s->sought_raw = s->has_event ? s->now.ts : ~0ull;
	return ret;
}
