// SPDX-License-Identifier: GPL-2.0
/*
 * trace_buffer.c - a buffer of a session: puts chunks in
 *
 * The memory is described in trace_buffer_ring.h, reading in trace_buffer_read.c. A chunk may come
 * again with more in it, if the service looked into shared memory before it was complete (PFT-56).
 * It then replaces the first one or, if that was already read and may be overwritten soon, goes to
 * the tail.
 */
#include "trace_buffer.h"

#include "shmem_page.h"
#include "trace_buffer_read.h"
#include "trace_buffer_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * A chunk or patch that is not for the latest chunk of its writer costs a step for each later
 * chunk. Each chunk and patch pays STEPS_EACH steps, as many chunks must have come after an old
 * one; at most STEPS_MAX may be owed. Chunks of a producer that keeps going back to its first ones
 * are discarded.
 */
#define STEPS_EACH 32u
#define STEPS_MAX (1u << 20)

/* Bytes freed in a step */
#define FREED_EACH (1024u * 1024)

/* A chunk after look_through() */
struct intake {
	const struct trace_buffer_chunk *chunk;
	size_t used;		/* bytes of whole packets */
	size_t skip;		/* of these, bytes read before */
	uint8_t flags;
};

int trace_buffer_alloc(struct trace_buffer **out, size_t size, enum trace_buffer_policy policy)
{
	struct trace_buffer *c;
	void *memory;

	if (!size || size > UINT32_MAX - SHMEM_PAGE_HEADER)
		return -EINVAL;
	size = (size + 4095) & ~(size_t)4095;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		free(c);
		return -ENOMEM;
	}
	LIST_INIT(&c->copies);
	c->memory = memory;
	c->size = c->stats.buffer_size = size;
	c->policy = policy;
	*out = c;
	return 0;
}

bool trace_buffer_free_step(struct trace_buffer *c)
{
	if (trace_buffer_copy_end(c))
		return true;
	c->is_unwanted = true;
	if (!LIST_EMPTY(&c->copies))
		return false;
	if (c->size > FREED_EACH) {
		c->size -= FREED_EACH;
		munmap(c->memory + c->size, FREED_EACH);
		return true;
	}
	munmap(c->memory, c->size);
	sequences_exit(&c->sequences);
	free(c->whole);
	free(c);
	return false;
}

void trace_buffer_free(struct trace_buffer *c)
{
	while (c && trace_buffer_free_step(c))
		;
}

/* Does not walk through the old memory: sequences and statistics have the facts. */
int trace_buffer_clear(struct trace_buffer *c, struct trace_buffer **out)
{
	struct trace_buffer_stats *stats = &c->stats;
	struct trace_buffer *old;
	uint8_t *memory;
	int r = trace_buffer_alloc(&old, c->size, c->policy);

	if (r)
		return r;
	for (uint32_t i = 0; i < c->sequences.nr; i++)
		if (c->sequences.rows[i] && c->sequences.rows[i]->first)
			trace_buffer_drop_all(c, c->sequences.rows[i]);
	stats->chunks_overwritten = stats->chunks_written - stats->chunks_read;
	stats->bytes_overwritten = stats->bytes_written - stats->bytes_read;
	stats->padding_bytes_cleared = stats->padding_bytes_written;
	memory = old->memory;
	old->memory = c->memory;
	c->memory = memory;
	trace_buffer_copy_from(c, old);
	c->used = c->tail = 0;
	c->unread = 0;
	c->is_reading = c->is_sealed = false;
	*out = old;
	return 0;
}

/* Finds the end of the whole packets: a declared packet that is missing is a violation. */
static void look_through(struct trace_buffer *c, struct intake *in)
{
	const struct trace_buffer_chunk *chunk = in->chunk;
	unsigned int nr = chunk->packets;

	in->flags = chunk->flags & SHMEM_FLAGS;
	if (!chunk->is_complete) {
		in->flags |= RECORD_INCOMPLETE;
		if (nr) {
			nr--;
			in->flags &= (uint8_t)~(SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING);
		}
	}
	for (; nr; nr--) {
		const struct fragment f = fragment_at(chunk->payload, chunk->size, in->used, 0);

		if (f.kind == FRAGMENT_WHOLE) {
			in->used = f.end;
			continue;
		}
		in->flags &= (uint8_t)~(SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING);
		if (f.kind == FRAGMENT_ABORTED) {
			c->stats.trace_writer_packet_loss++;
			in->flags |= RECORD_ABORTED;
		} else {
			c->stats.abi_violations++;
			in->flags |= RECORD_MALFORMED;
		}
		return;
	}
}

/* Returns the place of the last record of @s whose id is not above @id; 0: none. */
static uint32_t find_place(const struct trace_buffer *c, const struct sequence *s, uint32_t id)
{
	uint32_t place = s->last;

	while (place && chunk_id_order(record_at(c, place)->id, id) > 0)
		place = record_at(c, place)->older;
	return place;
}

/* True if the steps to the place of @id can be afforded; counts them. */
static bool pay(struct trace_buffer *c, const struct sequence *s, uint32_t id)
{
	uint32_t place = s->last;

	c->steps -= c->steps < STEPS_EACH ? c->steps : STEPS_EACH;
	while (place && chunk_id_order(record_at(c, place)->id, id) > 0) {
		if (c->steps == STEPS_MAX)
			return false;
		c->steps++;
		place = record_at(c, place)->older;
	}
	return true;
}

/*
 * True if a chunk that is not in the buffer comes too late: it, or a later one, has been read or
 * dropped. If it was incomplete then, the rest may still come; @in->skip is the known part.
 */
static bool is_late(const struct sequence *s, struct intake *in)
{
	const int32_t order = chunk_id_order(in->chunk->id, s->gone_id);

	if (!s->has_gone || order > 0)
		return false;
	if (order < 0 || !s->gone_incomplete || s->gone_used >= in->used)
		return true;
	in->skip = s->gone_used;
	return false;
}

static void append(struct trace_buffer *c, struct sequence *s, struct intake *in)
{
	const struct trace_buffer_chunk *chunk = in->chunk;
	/* An incomplete chunk keeps room for its rest. */
	const uint32_t size = record_size(chunk->is_complete ? in->used : chunk->size);
	struct record *r;
	size_t off, end;

	if (c->policy == TRACE_BUFFER_DISCARD && size > c->size - c->tail)
		c->is_sealed = true;
	if (c->is_sealed) {
		c->stats.chunks_discarded++;
		return;
	}
	if (size > c->size - c->tail) {
		ring_drop(c, c->size - c->tail);
		c->tail = 0;
		c->stats.write_wrap_count++;
	}
	off = c->tail;
	end = ring_drop(c, size);
	/* Making room may have dropped later chunks of the writer. */
	if (is_late(s, in)) {
		c->stats.chunks_discarded++;
		s->lost |= TRACE_BUFFER_DROPPED | TRACE_BUFFER_OVERWRITTEN;
		return;
	}
	r = ring_append(c, s, find_place(c, s, chunk->id), size);
	ring_pad(c, end);
	trace_buffer_read_past(c, off, end > c->tail ? end : c->tail);
	if (r->newer)
		c->stats.chunks_committed_out_of_order++;
	r->id = chunk->id;
	r->flags = in->flags;
	r->room = (uint16_t)(chunk->is_complete ? in->used : chunk->size);
	r->used = (uint16_t)in->used;
	r->left = (uint16_t)(in->used - in->skip);
	c->unread += r->left;
	memcpy(record_payload(r), chunk->payload, in->used);
	sequence_count(s, in->used);
}

/* The known part of a chunk must be the beginning of the new one. */
static bool may_replace(struct record *r, const struct intake *in)
{
	const uint8_t known = r->flags & SHMEM_FLAGS;

	return in->used >= r->used && in->used <= r->room && (in->flags & known) == known &&
	       !memcmp(record_payload(r), in->chunk->payload, r->used);
}

static void rewrite(struct trace_buffer *c, struct record *r, const struct intake *in)
{
	record_changes_whole(c, r);
	if (in->chunk->is_complete)
		r->flags &= (uint8_t)~RECORD_INCOMPLETE;
	if (in->used == r->used)
		return;
	c->unread += in->used - r->used;
	r->left = (uint16_t)(r->left + in->used - r->used);
	r->used = (uint16_t)in->used;
	r->flags |= in->flags & (uint8_t)~RECORD_INCOMPLETE;
	memcpy(record_payload(r), in->chunk->payload, in->used);
	c->stats.chunks_rewritten++;
}

/*
 * True if all of the known part has been read and there is more: the old place may be overwritten
 * next, so the rest gets a new one.
 */
static bool should_move(const struct trace_buffer *c, const struct record *r,
			const struct intake *in)
{
	return c->policy == TRACE_BUFFER_RING && in->chunk->is_complete && !r->left &&
	       r->flags & RECORD_INCOMPLETE && in->used > r->used && !r->older;
}

static void put_again(struct trace_buffer *c, struct sequence *s, struct record *r,
		      struct intake *in)
{
	if (!may_replace(r, in)) {
		c->stats.abi_violations++;
		return;
	}
	if (!should_move(c, r, in)) {
		rewrite(c, r, in);
		return;
	}
	c->stats.chunks_relocated++;
	ring_erase(c, r);
	append(c, s, in);
}

/*
 * A ring keeps the latest chunks: with too many writers, drops the oldest chunks until some
 * writers have none left. Drops an eighth at a time, as each round goes through all writers.
 */
static struct sequence *make_sequence(struct trace_buffer *c,
				      const struct trace_buffer_origin *origin)
{
	const size_t eighth = (c->used / 8 + RECORD_ALIGN) & ~(size_t)(RECORD_ALIGN - 1);
	size_t size = 0;

	while (c->tail || size < c->used) {
		if (c->tail + size >= c->used) {
			c->tail = size = 0;
			c->stats.write_wrap_count++;
		}
		size += eighth;
		ring_drop(c, size);
		sequences_forget_idle(&c->sequences);
		if (!sequences_are_full(&c->sequences))
			break;
	}
	return sequences_get(&c->sequences, origin);
}

void trace_buffer_put(struct trace_buffer *c, const struct trace_buffer_chunk *chunk)
{
	struct intake in = { .chunk = chunk };
	struct sequence *s;
	struct record *r;
	uint32_t place;

	if (c->is_clone)
		return;
	if (chunk->size > RECORD_PAYLOAD_MAX || record_size(chunk->size) > c->size) {
		c->stats.abi_violations++;
		return;
	}
	look_through(c, &in);
	s = sequences_get(&c->sequences, &chunk->origin);
	if (!s && c->policy == TRACE_BUFFER_RING && sequences_are_full(&c->sequences))
		s = make_sequence(c, &chunk->origin);
	if (!s) {
		c->stats.chunks_discarded++;
		return;
	}
	if (!pay(c, s, chunk->id)) {
		c->stats.chunks_discarded++;
		s->lost |= TRACE_BUFFER_DROPPED;
		return;
	}
	place = find_place(c, s, chunk->id);
	r = place ? record_at(c, place) : NULL;
	if (r && r->id == chunk->id) {
		put_again(c, s, r, &in);
		return;
	}
	if (is_late(s, &in)) {
		c->stats.chunks_discarded++;
		return;
	}
	append(c, s, &in);
}

static struct record *find_chunk(struct trace_buffer *c, const struct trace_buffer_origin *origin,
				 uint32_t id)
{
	const struct sequence *s = sequences_find(&c->sequences, origin);
	const uint32_t place = s && pay(c, s, id) ? find_place(c, s, id) : 0;
	struct record *r = place ? record_at(c, place) : NULL;

	return r && r->id == id ? r : NULL;
}

bool trace_buffer_patch(struct trace_buffer *c, const struct trace_buffer_origin *origin,
			uint32_t chunk_id,
			const struct trace_buffer_patch *patches, size_t nr, bool has_more)
{
	struct record *r = c->is_clone ? NULL : find_chunk(c, origin, chunk_id);
	bool is_inside = r;

	for (size_t i = 0; is_inside && i < nr; i++)
		is_inside = patches[i].offset >= (uint32_t)(r->used - r->left) &&
			    (uint64_t)patches[i].offset + sizeof(patches[i].data) <= r->used;
	if (!is_inside) {
		c->stats.patches_failed++;
		return false;
	}
	record_changes_whole(c, r);
	for (size_t i = 0; i < nr; i++)
		memcpy(record_payload(r) + patches[i].offset, patches[i].data,
		       sizeof(patches[i].data));
	c->stats.patches_succeeded += nr;
	if (!has_more)
		r->flags &= (uint8_t)~SHMEM_NEEDS_PATCHING;
	return true;
}

void trace_buffer_settle(struct trace_buffer *c, uint16_t producer)
{
	for (uint32_t i = 0; i < c->sequences.nr; i++) {
		struct sequence *s = c->sequences.rows[i];

		if (!s || s->origin.producer != producer || !s->last)
			continue;
		s->has_settled = true;
		s->settled_id = record_at(c, s->last)->id;
	}
}

void trace_buffer_end_writer(struct trace_buffer *c, const struct trace_buffer_origin *origin)
{
	struct sequence *s = sequences_find(&c->sequences, origin);

	if (s)
		sequences_end(&c->sequences, s);
}

void trace_buffer_finish(struct trace_buffer *c)
{
	c->is_finished = true;
}

const struct trace_buffer_stats *trace_buffer_stats(const struct trace_buffer *c)
{
	return &c->stats;
}

bool trace_buffer_writer(const struct trace_buffer *c, uint32_t *cursor,
			 struct trace_buffer_origin *origin,
			 const uint64_t **counts, const int64_t **sums)
{
	const struct sequence *s = NULL;

	while (!s && *cursor < c->sequences.nr)
		s = c->sequences.rows[(*cursor)++];
	if (!s)
		return false;
	*origin = s->origin;
	*counts = s->counts;
	*sums = s->sums;
	return true;
}
