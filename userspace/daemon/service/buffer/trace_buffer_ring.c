// SPDX-License-Identifier: GPL-2.0
/* trace_buffer_ring.c - the memory of a buffer */
#include "trace_buffer_ring.h"

#include "trace_buffer_read.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct record) == 28, "a record's payload follows it");

/* Padding may be shorter than a record. */
#define PADDING_MIN 8u
static_assert(offsetof(struct record, id) == PADDING_MIN, "padding has a size and a kind");

/* Maximum number of records joined at a time */
#define JOINED_MAX 4096u

static void link_behind(struct trace_buffer *c, struct sequence *s, struct record *r,
			uint32_t older)
{
	const uint32_t place = record_place(c, r);

	if (older)
		record_changes(c, record_at(c, older));
	r->older = older;
	r->newer = older ? record_at(c, older)->newer : s->first;
	if (older)
		record_at(c, older)->newer = place;
	else
		s->first = place;
	if (r->newer) {
		record_changes(c, record_at(c, r->newer));
		record_at(c, r->newer)->older = place;
	} else {
		s->last = place;
	}
}

static void unlink_record(struct trace_buffer *c, struct sequence *s, const struct record *r)
{
	if (r->older) {
		record_changes(c, record_at(c, r->older));
		record_at(c, r->older)->newer = r->newer;
	} else {
		s->first = r->newer;
	}
	if (r->newer) {
		record_changes(c, record_at(c, r->newer));
		record_at(c, r->newer)->older = r->older;
	} else {
		s->last = r->older;
	}
	if (!s->first)
		sequence_is_idle(&c->sequences, s);
}

struct record *ring_append(struct trace_buffer *c, struct sequence *s, uint32_t older,
			   uint32_t size)
{
	struct record *r = record_off(c, c->tail);

	trace_buffer_saves(c, c->tail, size);
	*r = (struct record){ .size = size, .sequence = s->index + 1 };
	link_behind(c, s, r, older);
	c->tail += size;
	if (c->tail > c->used)
		c->used = c->tail;
	c->stats.chunks_written++;
	c->stats.bytes_written += size;
	return r;
}

static void note_gone(struct sequence *s, const struct record *r)
{
	s->has_gone = true;
	s->gone_id = r->id;
	s->gone_used = r->used;
	s->gone_incomplete = r->flags & RECORD_INCOMPLETE;
}

static void count_gone(struct trace_buffer_stats *stats, const struct record *r)
{
	if (r->left || r->flags & RECORD_DROPPED) {
		stats->chunks_overwritten++;
		stats->bytes_overwritten += r->size;
	} else {
		stats->chunks_read++;
		stats->bytes_read += r->size;
	}
}

/* Counts the first record only: of those read, no other remains after a reading. */
void ring_erase_all(struct trace_buffer *c, struct sequence *s)
{
	count_gone(&c->stats, record_at(c, s->first));
	note_gone(s, record_at(c, s->last));
	s->first = s->last = 0;
	sequence_is_idle(&c->sequences, s);
}

void ring_erase(struct trace_buffer *c, struct record *r)
{
	struct sequence *s = record_sequence(c, r);

	note_gone(s, r);
	count_gone(&c->stats, r);
	c->unread -= r->left;
	unlink_record(c, s, r);
	record_changes(c, r);
	r->sequence = RECORD_FREE;
}

static void make_free(struct trace_buffer *c, size_t off, size_t end)
{
	struct record *r = record_off(c, off);

	trace_buffer_saves(c, off, PADDING_MIN);
	r->size = (uint32_t)(end - off);
	r->sequence = RECORD_FREE;
}

size_t ring_drop(struct trace_buffer *c, size_t size)
{
	const size_t end = c->tail + size;
	size_t off = c->tail;

	c->steps_taken = 0;
	while (off < end && off < c->used) {
		struct record *r = record_off(c, off);

		if (record_is_chunk(r)) {
			trace_buffer_drop_until(c, r);
		} else if (r->sequence == RECORD_PADDING) {
			trace_buffer_saves(c, off, PADDING_MIN);
			c->stats.padding_bytes_cleared += r->size;
			r->sequence = RECORD_FREE;
		} else if (off + r->size > end) {
			make_free(c, end, off + r->size);
			return end;
		}
		off += r->size;
	}
	return off;
}

size_t ring_join(struct trace_buffer *c, size_t off)
{
	const struct record *r = record_off(c, off);
	size_t end = off + r->size;
	uint32_t nr = 0;

	if (r->sequence != RECORD_FREE)
		return end;
	for (; nr < JOINED_MAX && end < c->used && end != c->tail &&
	     record_off(c, end)->sequence == RECORD_FREE; nr++)
		end += record_off(c, end)->size;
	c->steps_taken += nr;
	make_free(c, off, end);
	return end;
}

void ring_pad(struct trace_buffer *c, size_t end)
{
	struct record *r = record_off(c, c->tail);

	if (end <= c->tail)
		return;
	trace_buffer_saves(c, c->tail, PADDING_MIN);
	r->size = (uint32_t)(end - c->tail);
	r->sequence = RECORD_PADDING;
	c->stats.padding_bytes_written += r->size;
}
