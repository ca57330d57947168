// SPDX-License-Identifier: GPL-2.0
/*
 * trace_buffer_read.c - takes packets out of a buffer
 *
 * A pass walks the ring from the oldest record. Before a record's own packets it returns those of
 * its sequence with lower ids, wherever they are (PFT-52). A sequence stalls until the next pass
 * at anything missing that may still come: a chunk, the rest of one, a patch (PFT-13, PFT-54).
 * Dropping waits for nothing.
 */
#include "trace_buffer_read.h"

#include "base/grow.h"
#include "shmem_page.h"

#include <stdlib.h>
#include <string.h>

/* Steps without a packet in one call: less than a ms */
#define STEPS_MAX 8192u

enum mode {
	MODE_READ,
	MODE_DROP,
};

/* A packet assembled from several chunks */
struct chain {
	struct record *last;
	size_t size;
	uint32_t nr;		/* number of chunks */
	uint32_t cause;		/* why it is incomplete; 0 = complete */
	bool is_too_large;	/* the reason is its size */
	bool is_open;		/* the missing part may still come */
};

static void lose(struct sequence *s, uint32_t cause)
{
	s->lost |= TRACE_BUFFER_DROPPED | cause;
}

static bool has_settled(const struct sequence *s, uint32_t id)
{
	return s->has_settled && chunk_id_order(id, s->settled_id) <= 0;
}

/* True if chunks missing before the one with this id will not come any more. */
static bool gap_is_final(const struct trace_buffer *c, const struct sequence *s, uint32_t id)
{
	return c->is_finished || c->is_sealed || s->has_ended || has_settled(s, id);
}

/* True if a chunk is missing before the sequence's first one. */
static bool gap_before(const struct sequence *s, const struct record *r)
{
	if (!s->has_gone || r->id == s->gone_id + 1 || r->left != r->used)
		return false;
	return !(s->gone_incomplete && r->id == s->gone_id);
}

static void consume(struct trace_buffer *c, struct record *r, const struct fragment *f,
		    enum mode mode)
{
	const uint16_t left = (uint16_t)(r->used - f->end);

	record_changes(c, r);
	c->unread -= (uint64_t)(r->left - left);
	r->left = left;
	if (mode == MODE_DROP)
		r->flags |= RECORD_DROPPED;
}

static bool needs_patch(const struct record *r, const struct fragment *f)
{
	return r->flags & SHMEM_NEEDS_PATCHING && f->end == r->used;
}

/* Checks @r, which has no part of the packet. Return: true if the packet may go on in the next. */
static bool pass_empty(struct chain *chain, const struct record *r, enum fragment_kind kind)
{
	if (kind == FRAGMENT_ABORTED || (kind == FRAGMENT_NONE && r->flags & RECORD_ABORTED))
		chain->cause = TRACE_BUFFER_WRITER_ABORT;
	else if (kind == FRAGMENT_CORRUPT || r->flags & RECORD_MALFORMED)
		chain->cause = TRACE_BUFFER_CORRUPT;
	else if (kind != FRAGMENT_NONE)
		chain->cause = TRACE_BUFFER_BROKEN_CHAIN;
	else if (r->flags & RECORD_INCOMPLETE)
		chain->is_open = true;
	return !chain->cause && !chain->is_open;
}

/* True if @next may have the next part of the packet in @chain. */
static bool follows(struct trace_buffer *c, struct sequence *s, struct chain *chain,
		    const struct record *next)
{
	if (!next)
		chain->is_open = true;
	else if (next->id == chain->last->id + 1)
		return true;
	else if (gap_is_final(c, s, next->id))
		chain->cause = TRACE_BUFFER_REASSEMBLY_GAP;
	else
		chain->is_open = true;
	return false;
}

/* Adds a part. Return: true if the packet may go on. */
static bool grow(struct chain *chain, struct record *r, size_t size)
{
	chain->last = r;
	chain->size += size;
	chain->is_too_large = ++chain->nr > TRACE_BUFFER_PACKET_CHUNKS ||
			      chain->size > TRACE_BUFFER_PACKET_MAX;
	if (chain->is_too_large)
		chain->cause = TRACE_BUFFER_BROKEN_CHAIN;
	return !chain->cause;
}

/* Follows a packet from its beginning @f in @r, up to the limits of packets. Consumes nothing. */
static void survey(struct trace_buffer *c, struct sequence *s, struct record *r, struct fragment f,
		   struct chain *chain)
{
	*chain = (struct chain){
		.last = r, .size = f.size, .nr = 1, .is_open = needs_patch(r, &f),
	};
	while (!chain->is_open && f.kind != FRAGMENT_END) {
		r = r->newer ? record_at(c, r->newer) : NULL;
		if (!follows(c, s, chain, r))
			return;
		f = record_fragment(r);
		if (f.kind != FRAGMENT_MIDDLE && f.kind != FRAGMENT_END) {
			if (!pass_empty(chain, r, f.kind))
				return;
		} else if (needs_patch(r, &f)) {
			chain->is_open = true;
			return;
		}
		if (!grow(chain, r, f.size))
			return;
	}
}

/* Consumes the parts of a packet; @to: copies them there, NULL: does not. */
static void take_chain(struct trace_buffer *c, struct record *r, const struct chain *chain,
		       enum mode mode, uint8_t *to)
{
	for (;; r = record_at(c, r->newer)) {
		const struct fragment f = record_fragment(r);

		if (f.kind != FRAGMENT_NONE) {
			if (to && f.size)
				memcpy(to, f.data, f.size);
			to = to ? to + f.size : NULL;
			consume(c, r, &f, mode);
		}
		if (r == chain->last)
			return;
	}
}

enum step {
	STEP_ON,		/* continue with this sequence */
	STEP_PACKET,
	STEP_STALL,
	STEP_PAUSE,		/* many steps were taken */
};

/* Takes a packet that begins in @r and goes on in other chunks. */
static enum step step_begin(struct trace_buffer *c, struct sequence *s, struct record *r,
			    enum mode mode, struct trace_buffer_packet *packet)
{
	const struct fragment f = record_fragment(r);
	struct chain chain;

	survey(c, s, r, f, &chain);
	c->steps_taken += chain.nr;
	if (!chain.is_open && !chain.cause) {
		uint8_t *whole = packet && LIST_GROW(c->whole, chain.size, c->whole_room) ?
				 c->whole : NULL;

		c->stats.readaheads_succeeded++;
		take_chain(c, r, &chain, mode, whole);
		if (packet) {
			packet->data = whole;
			packet->size = chain.size;
		}
		return chain.size ? STEP_PACKET : STEP_ON;
	}
	c->stats.readaheads_failed++;
	c->too_large += chain.is_too_large && mode == MODE_READ;
	if (chain.is_open && mode == MODE_READ && !c->is_finished)
		return STEP_STALL;
	if (chain.is_open)
		chain.cause = mode == MODE_DROP ? TRACE_BUFFER_OVERWRITTEN :
			TRACE_BUFFER_BROKEN_CHAIN;
	lose(s, chain.cause);
	take_chain(c, r, &chain, mode == MODE_READ ? MODE_READ : MODE_DROP, NULL);
	return STEP_ON;
}

static enum step step_packet(struct trace_buffer *c, struct sequence *s, struct record *r,
			     enum mode mode, struct trace_buffer_packet *packet)
{
	const struct fragment f = record_fragment(r);

	switch (f.kind) {
	case FRAGMENT_WHOLE:
		if (needs_patch(r, &f) && mode == MODE_READ && !c->is_finished)
			return STEP_STALL;
		consume(c, r, &f, mode);
		if (needs_patch(r, &f))
			lose(s, TRACE_BUFFER_BROKEN_CHAIN);
		if (!f.size || needs_patch(r, &f))
			return STEP_ON;
		if (packet) {
			packet->data = f.data;
			packet->size = f.size;
		}
		return STEP_PACKET;
	case FRAGMENT_BEGIN:
		return step_begin(c, s, r, mode, packet);
	default:
		consume(c, r, &f, mode);
		lose(s, TRACE_BUFFER_ORPHAN);
		return STEP_ON;
	}
}

/* Notes losses that a record reports at its end. */
static void note_end(struct sequence *s, const struct record *r, enum fragment_kind kind)
{
	if (kind == FRAGMENT_ABORTED || r->flags & RECORD_ABORTED)
		lose(s, TRACE_BUFFER_WRITER_ABORT);
	if (kind == FRAGMENT_CORRUPT || r->flags & RECORD_MALFORMED)
		lose(s, TRACE_BUFFER_CORRUPT);
}

/* True if reading may begin with @r, the first of its sequence. */
static bool may_begin(struct trace_buffer *c, struct sequence *s, const struct record *r,
		      enum mode mode)
{
	if (!gap_before(s, r))
		return true;
	if (mode == MODE_READ && !gap_is_final(c, s, r->id))
		return false;
	lose(s, TRACE_BUFFER_READ_GAP);
	return true;
}

static bool is_tired(struct trace_buffer *c)
{
	return ++c->steps_taken >= STEPS_MAX;
}

/*
 * Returns the next packet of @s, up to the record @target.
 * Return: STEP_PACKET, STEP_STALL, STEP_PAUSE, or STEP_ON when @target is done.
 */
static enum step next_packet(struct trace_buffer *c, struct sequence *s,
			     const struct record *target,
			     enum mode mode, struct trace_buffer_packet *packet)
{
	for (;;) {
		struct record *r = record_at(c, s->first);
		const bool is_target = r == target;
		const enum fragment_kind kind = record_fragment(r).kind;
		enum step step;

		if (!may_begin(c, s, r, mode))
			return STEP_STALL;
		if (kind != FRAGMENT_NONE && kind != FRAGMENT_ABORTED && kind != FRAGMENT_CORRUPT) {
			step = step_packet(c, s, r, mode, packet);
			if (step != STEP_ON)
				return step;
			if (is_tired(c))
				return STEP_PAUSE;
			continue;
		}
		if (r->flags & RECORD_INCOMPLETE && mode == MODE_READ && !c->is_finished)
			return STEP_STALL;
		note_end(s, r, kind);
		if (kind != FRAGMENT_NONE) {
			record_changes(c, r);
			c->unread -= r->left;
			r->left = 0;
		}
		ring_erase(c, r);
		if (is_target || !s->first)
			return STEP_ON;
		if (is_tired(c))
			return STEP_PAUSE;
	}
}

/* Drops a chunk of whole packets without looking for their boundaries. */
static void drop_whole(struct trace_buffer *c, struct sequence *s, struct record *r)
{
	may_begin(c, s, r, MODE_DROP);
	if (r->left)
		lose(s, TRACE_BUFFER_OVERWRITTEN);
	note_end(s, r, FRAGMENT_NONE);
	ring_erase(c, r);
}

void trace_buffer_drop_until(struct trace_buffer *c, struct record *target)
{
	struct sequence *s = record_sequence(c, target);
	enum step step = STEP_PACKET;

	if (!target->older && !(target->flags & (SHMEM_CONTINUES_PREVIOUS |
						 SHMEM_CONTINUES_NEXT))) {
		drop_whole(c, s, target);
		return;
	}
	while (step == STEP_PACKET && !is_tired(c)) {
		step = next_packet(c, s, target, MODE_DROP, NULL);
		if (step != STEP_ON)
			lose(s, TRACE_BUFFER_OVERWRITTEN);
	}
	if (step != STEP_ON)
		ring_erase(c, target);
}

void trace_buffer_drop_all(struct trace_buffer *c, struct sequence *s)
{
	const struct record *first = record_at(c, s->first), *last = record_at(c, s->last);

	may_begin(c, s, first, MODE_DROP);
	if (first != last || last->left)
		lose(s, TRACE_BUFFER_OVERWRITTEN);
	note_end(s, last, FRAGMENT_NONE);
	ring_erase_all(c, s);
}

static void walk_on(struct trace_buffer *c)
{
	const size_t next = ring_join(c, c->at);

	c->steps_taken++;
	c->walked += next - c->at;
	c->at = next < c->used ? next : 0;
}

void trace_buffer_read_past(struct trace_buffer *c, size_t off, size_t end)
{
	if (!c->is_reading || c->at < off || c->at >= end)
		return;
	c->walked += end - c->at;
	c->at = end < c->used ? end : 0;
}

static void tell(struct trace_buffer *c, struct sequence *s, struct trace_buffer_packet *packet)
{
	c->told = s;
	packet->origin = s->origin;
	packet->dropped = s->lost;
	packet->is_first = !s->has_emitted;
	s->lost = 0;
	s->has_emitted = true;
}

void trace_buffer_read_begin(struct trace_buffer *c)
{
	c->is_reading = c->used > 0;
	c->pass++;
	c->at = c->tail == c->used ? 0 : c->tail;
	c->walked = 0;
}

bool trace_buffer_read(struct trace_buffer *c, struct trace_buffer_packet *packet)
{
	c->steps_taken = 0;
	while (c->is_reading && c->walked < c->used) {
		struct record *r = record_off(c, c->at);
		struct sequence *s;
		enum step step;

		if (c->steps_taken >= STEPS_MAX) {
			*packet = (struct trace_buffer_packet){ 0 };
			return true;
		}
		if (!record_is_chunk(r)) {
			walk_on(c);
			continue;
		}
		s = record_sequence(c, r);
		if (s->stalled_pass == c->pass) {
			walk_on(c);
			continue;
		}
		step = next_packet(c, s, r, MODE_READ, packet);
		if (step == STEP_PACKET) {
			tell(c, s, packet);
			return true;
		}
		if (step == STEP_PAUSE)
			continue;
		if (step == STEP_STALL)
			s->stalled_pass = c->pass;
		walk_on(c);
	}
	c->is_reading = false;
	return false;
}

void trace_buffer_lose(struct trace_buffer *c, const struct trace_buffer_packet *packet)
{
	lose(c->told, packet->dropped);
}

uint64_t trace_buffer_too_large(struct trace_buffer *c)
{
	const uint64_t nr = c->too_large;

	c->too_large = 0;
	return nr;
}
