// SPDX-License-Identifier: LGPL-2.1
/*
 * stream_position.c - saves where a stream is, and takes it back there
 *
 * A place is a section and a record in it. The section's records are walked up to it, so that a
 * wrong place cannot turn arbitrary bytes into a record. The state from earlier records is part of
 * the place: so it is exact, and costs one section.
 */
#include "position.h"

#include <errno.h>
#include <string.h>

#include "base/search.h"

/* Gets the counts before a loss that is next: its notice is read again. */
static void get_lost(const struct stream *s, struct place *p)
{
	__u32 left = s->lost_left | 1u << s->lost_out.reason;
	__u32 i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		if (left & 1u << i)
			p->lost[i] -= s->lost_delta[i];
	p->off = s->lost_off | (s->lost_nr - (__u32)__builtin_popcount(left));
}

void ktrace_place_get(const struct stream *s, struct place *p)
{
	p->trace = (__u32)s->trace->index;
	p->id = s->pub.id;
	p->section = s->next ? entry_offset(&s->entries[s->next - 1]) : 0;
	p->prev_raw = s->prev_raw;
	p->end_pos = s->cur.base ? 0 : s->end_pos;
	p->gap = s->gap;
	memcpy(p->lost, s->seen, sizeof(p->lost));
	if (!s->has_event)
		p->off = PLACE_END;
	else if (s->now.id == KTRACE_ID_LOST)
		get_lost(s, p);
	else
		p->off = stream_now_off(s);
}

/* Returns the number of the section at this offset, -1 if there is none. */
long ktrace_place_entry(const struct stream *s, __u64 section)
{
	const size_t low = PARTITION_POINT(s->entry_nr, i, entry_offset(&s->entries[i]) < section);

	return low < s->entry_nr && entry_offset(&s->entries[low]) == section ? (long)low : -1;
}

/* Walks the loaded section up to the record at @off. */
static int walk_to(struct stream *s, __u32 off)
{
	struct ktrace_record rec;
	const char *payload;
	__u32 at;

	for (at = s->cur.off; at < off; at = s->cur.off)
		if (kt_cursor_next(&s->cur, &rec, &payload) != KT_CURSOR_RECORD)
			return -EBADMSG;
	return at == off ? 0 : -EBADMSG;
}

/* Loads section @entry, and only that. */
static int load_entry(struct stream *s, size_t entry, const struct place *p)
{
	int ret;

	ktrace_stream_rewind(s, entry);
	memcpy(s->seen, p->lost, sizeof(s->seen));
	ret = ktrace_stream_load(s);
	if (ret == -ENOMEM)
		return ret;
	return ret == 1 && s->next == entry + 1 ? 0 : -EBADMSG;
}

static int put_on_record(struct stream *s, size_t entry, const struct place *p)
{
	__u32 told = p->off & (KTRACE_ALIGN - 1);
	struct place here;
	int ret = load_entry(s, entry, p);

	if (!ret && s->cur.base)
		ret = walk_to(s, p->off - told);
	if (ret)
		return ret;
	s->prev_raw = p->prev_raw;
	ktrace_stream_set_gap(s, p->gap);
	if (!s->cur.base)
		s->end_pos = p->end_pos;
	ret = stream_next(s);
	s->has_event = ret == 1;
	if (ret < 0)
		return ret;
	s->lost_nr += told;
	ktrace_place_get(s, &here);
	return place_order(here.section, here.off, p) ? -EBADMSG : 0;
}

/*
 * Moves @s to a place; to the next event if the place is the end of a section. @p must name one of
 * its sections. Returns 0, -EBADMSG if it has no event there, -ENOMEM.
 */
int ktrace_place_put(struct stream *s, const struct place *p)
{
	long entry = p->section ? ktrace_place_entry(s, p->section) : -1;
	int ret;

	if (p->off != PLACE_END)
		return entry < 0 ? -EBADMSG : put_on_record(s, (size_t)entry, p);
	ktrace_stream_rewind(s, (size_t)(entry + 1));
	memcpy(s->seen, p->section ? p->lost : s->base_lost, sizeof(s->seen));
	s->prev_raw = p->prev_raw;
	s->end_pos = p->end_pos;
	ktrace_stream_set_gap(s, p->gap);
	ret = stream_next(s);
	s->has_event = ret == 1;
	return ret < 0 ? ret : 0;
}
