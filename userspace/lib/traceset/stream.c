// SPDX-License-Identifier: LGPL-2.1
/*
 * stream.c - the events of one stream, in the order of the file
 *
 * One section is in memory at a time. A damaged section is reported once and skipped; an impossible
 * record costs the rest of its section.
 *
 * Losses: counts are cumulative, so each LOST record or section shows, for each reason, by how much
 * it exceeds the largest count so far; the excess is delivered as events of type "ktrace:lost",
 * exactly once.
 */
#include "readahead.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ktrace_stream_free(struct stream *s)
{
	if (!s)
		return;
	if (!s->trace->is_lent)
		free(s->entries);
	ktrace_section_buf_free(&s->loaded);
	ktrace_readahead_free_lane(s->lane);
	free(s);
}

/* stream_time() outside the cached stretch; caches the stretch of @raw. */
__u64 ktrace_stream_time(struct stream *s, __u64 raw)
{
	__u64 offset;
	const struct segment *seg = trace_segment(s->trace, raw, &offset);

	if (seg && raw >= seg->raw)
		ktrace_stretch_set(&s->clock, seg, offset);
	return ktrace_trace_time(s->pub.trace, raw);
}

static void note_lost(struct stream *s, const struct ktrace_lost *lost)
{
	int i;

	for (i = 0; i < KTRACE_LOST_NR; i++) {
		if (lost->count[i] <= s->seen[i])
			continue;
		s->lost_delta[i] = lost->count[i] - s->seen[i];
		s->seen[i] = lost->count[i];
		s->lost_left |= 1u << i;
	}
	s->lost_nr = (__u32)__builtin_popcount(s->lost_left);
}

/* Takes counts that were reported before the target of a seek. */
void ktrace_stream_see_lost(struct stream *s, const struct ktrace_lost *lost)
{
	note_lost(s, lost);
	s->lost_left = 0;
}

/* Makes the next loss the current event; s->now.ts is its stamp. */
static void deliver_lost(struct stream *s)
{
	__u32 reason = (__u32)__builtin_ctz(s->lost_left);

	s->lost_left &= s->lost_left - 1;
	s->lost_out.reason = reason;
	s->lost_out.count = s->lost_delta[reason];
	s->now.id = KTRACE_ID_LOST;
	s->now.len = sizeof(s->lost_out);
	s->now.tid_flags = 0;
	s->now.payload = (const char *)&s->lost_out;
	s->now.time = stream_time(s, s->now.ts);
}

/* Returns 1 if the loaded body begins with a block header, 0 if not, -EBADMSG if it should. */
static int find_block_header(const struct stream *s, const struct ktrace_section *sec)
{
	struct ktrace_block b;
	bool is_expected = s->pub.block_size && !(sec->pos & (s->pub.block_size - 1));

	if (s->loaded.size < sizeof(b))
		return is_expected ? -EBADMSG : 0;
	memcpy(&b, s->loaded.body, sizeof(b));
	if (b.magic == KTRACE_BLOCK_MAGIC && b.pos == sec->pos &&
	    (is_expected || !s->pub.block_size))
		return 1;
	return is_expected ? -EBADMSG : 0;
}

static int bad_section(struct stream *s, struct entry *e, const char *message)
{
	if (!s->trace->is_lent)
		e->place |= ENTRY_BAD;
	s->end_pos = END_UNKNOWN;
	trace_report(s->trace, entry_offset(e), message);
	return 0;
}

void ktrace_stream_set_gap(struct stream *s, struct gap gap)
{
	s->gap = gap;
	if (s->is_torn || !gap.behind)
		return;
	s->is_torn = true;
	s->next_torn = s->trace->torn;
	s->trace->torn = s;
}

/*
 * Notes a gap, unless a section follows its predecessor at once, or at the next multiple of the
 * block size.
 */
static void note_gap(struct stream *s, const struct ktrace_section *sec)
{
	__u64 mask = (__u64)s->pub.block_size - 1, end = s->end_pos;
	const __u64 before = s->prev_raw ? s->prev_raw : s->before_raw;

	if (end == END_UNKNOWN ||
	    (end && sec->pos != end && sec->pos != ((end - 1) | mask) + 1))
		ktrace_stream_set_gap(s, (struct gap){ before, sec->first_ts });
	s->end_pos = sec->pos + s->loaded.size;
}

/* Reports once: such counts are repeated in each section. */
static void unknown_reasons(struct stream *s, const struct entry *e)
{
	if (!s->has_unknown_lost)
		trace_report(s->trace, entry_offset(e),
			     "events lost for unknown reasons: a newer ktrace is needed");
	s->has_unknown_lost = true;
}

/* Takes over the loaded section. Returns 1, or 0 if it is bad, which has been reported. */
static int use_section(struct stream *s, struct entry *e)
{
	const struct ktrace_section *sec = &s->loaded.section;
	bool is_lost = e->place & ENTRY_LOST;
	struct ktrace_lost lost;
	int header;

	if (sec->stream != s->pub.id ||
	    sec->type != (is_lost ? KTRACE_SECTION_LOST : KTRACE_SECTION_BLOCK))
		return bad_section(s, e, "section does not match the index, skipped");
	if (is_lost) {
		if (!ktrace_section_lost(&lost, s->loaded.body, s->loaded.size))
			unknown_reasons(s, e);
		s->now.ts = sec->first_ts;
		s->lost_off = 0;
		note_lost(s, &lost);
		return 1;
	}
	header = find_block_header(s, sec);
	if (header < 0)
		return bad_section(s, e, "section does not begin with its block's header, skipped");
	note_gap(s, sec);
	s->cur.base = s->loaded.body;
	s->cur.off = header ? sizeof(struct ktrace_block) : 0;
	s->cur.end = s->loaded.size;
	s->opening = s->cur.off;
	return 1;
}

/* Loads the next usable section. Returns 1, 0 at the end, -ENOMEM. */
int ktrace_stream_load(struct stream *s)
{
	struct entry *e;
	int ret;

	memset(&s->cur, 0, sizeof(s->cur));
	while (s->next < s->entry_nr) {
		e = &s->entries[s->next];
		if (e->place & ENTRY_BAD) {
			s->end_pos = END_UNKNOWN;
			s->next++;
			continue;
		}
		ret = ktrace_readahead_load(s, e);
		if (ret == -ENOMEM)
			return ret;
		s->next++;
		s->trace->loads++;
		ktrace_readahead_want(s);
		if (ret)
			bad_section(s, e, ktrace_load_error(ret));
		else if (use_section(s, e))
			return 1;
	}
	return 0;
}

/*
 * Returns the offset in the file of the next record; for a compressed section, that of the section.
 */
static __u64 here(const struct stream *s)
{
	const struct section_buf *b = &s->loaded;

	return b->body == b->raw ? b->offset : b->offset + sizeof(b->section) + s->cur.off;
}

static void end_section(struct stream *s)
{
	s->cur.off = s->cur.end;
}

/* Takes a control record: LOST counts what writers lost, unknown ones are ignored. */
static void take_control(struct stream *s, const struct ktrace_record *rec, const char *payload)
{
	struct ktrace_lost lost;

	if (rec->id != KTRACE_ID_LOST)
		return;
	s->now.ts = rec->ts;
	s->lost_off = (__u32)(payload - s->cur.base) - (__u32)sizeof(*rec);
	if (s->opening && s->opening == s->lost_off)
		s->opening = s->cur.off;
	ktrace_lost_of_writers(&lost, payload, rec->len);
	note_lost(s, &lost);
}

/* stream_next() for everything except an event in the loaded section. */
int ktrace_stream_next_slow(struct stream *s)
{
	struct ktrace_record rec;
	const char *payload;
	int what, ret;

	for (;;) {
		if (s->lost_left) {
			deliver_lost(s);
			return 1;
		}
		if (stream_step(s))
			return 1;
		what = kt_cursor_next(&s->cur, &rec, &payload);
		if (what == KT_CURSOR_RECORD) {
			take_control(s, &rec, payload);
			continue;
		}
		if (what == KT_CURSOR_CORRUPT) {
			trace_report(s->trace, here(s),
				     "impossible record, rest of the section skipped");
			end_section(s);
		}
		ret = ktrace_stream_load(s);
		if (ret <= 0)
			return ret;
	}
}

/* Continues with section number @entry; losses so far stay known. */
void ktrace_stream_rewind(struct stream *s, size_t entry)
{
	s->next = entry;
	ktrace_readahead_turn(s->trace->ahead);
	memset(&s->cur, 0, sizeof(s->cur));
	s->lost_left = 0;
	s->prev_raw = s->before_raw = 0;
	s->end_pos = 0;
	s->gap = (struct gap){ 0 };
	s->has_event = false;
}
