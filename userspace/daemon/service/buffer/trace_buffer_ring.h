/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_buffer_ring.h - the memory of a buffer: consecutive records, and a list per writer
 *
 *	0            tail                                  used          size
 *	+------+-----+---------+-----------+------+--------+- - - - - - -+
 *	| record     | oldest record       | free | padding| never used  |
 *	+------+-----+---------+-----------+------+--------+- - - - - - -+
 *
 * From tail to used and from 0 to tail there are records without gaps; the next one is written at
 * tail. A record is a chunk of a writer, free (read or dropped, joined with free neighbours), or
 * padding (the rest of a chunk that was partly overwritten). Chunks of a writer are a list in the
 * order of their ids; the list's ends are in struct sequence. Places are offsets / 8 + 1, 0 is
 * none, so that the memory can be copied as it is (PFT-83).
 */
#ifndef KTRACED_SERVICE_BUFFER_TRACE_BUFFER_RING_H
#define KTRACED_SERVICE_BUFFER_TRACE_BUFFER_RING_H

#include "fragment.h"
#include "sequence.h"

#include <sys/queue.h>

/* Flags of struct record, besides those of the chunk's header */
#define RECORD_INCOMPLETE 0x80	/* was scraped: more may come */
#define RECORD_ABORTED 0x40	/* a packet after the others was given up by its writer */
#define RECORD_MALFORMED 0x20	/* the bytes after its packets are invalid */
#define RECORD_DROPPED 0x10	/* part of it was dropped unread */

/* Values of record.sequence other than row + 1 */
#define RECORD_FREE 0u
#define RECORD_PADDING 0xffffffffu

struct record {
	uint32_t size;		/* bytes of all, a multiple of 8; padding has only these two */
	uint32_t sequence;
	uint32_t id;
	uint32_t older;		/* places in the sequence */
	uint32_t newer;
	uint16_t room;		/* bytes for the payload */
	uint16_t used;		/* bytes of whole packets and fragments */
	uint16_t left;		/* bytes at their end that were not read */
	uint8_t flags;
	uint8_t reserved;
};

#define RECORD_ALIGN 8u
#define RECORD_PAYLOAD_MAX 65535u

struct trace_buffer {
	/*
	 * As an original: copies that are not complete yet; if unwanted, freed with the last of
	 * them.
	 */
	LIST_HEAD(, trace_buffer) copies;
	bool is_unwanted;
	/* As such a copy */
	LIST_ENTRY(trace_buffer) copy_link;
	struct trace_buffer *original;	/* NULL: complete, no original to free */
	bool *has_block;		/* NULL: complete */
	size_t copied_nr;		/* blocks copied, from the first on */

	uint8_t *memory;
	size_t size;
	size_t used;
	size_t tail;
	enum trace_buffer_policy policy;
	bool is_sealed;		/* DISCARD: a chunk did not fit */
	bool is_finished;	/* no more chunks can come */
	bool is_clone;
	struct sequences sequences;
	struct trace_buffer_stats stats;
	uint64_t unread;	/* bytes of unread fragments */
	uint32_t steps;		/* owed for chunks that were not the latest */
	/* A reading pass */
	bool is_reading;
	uint64_t pass;
	size_t at;		/* current record */
	size_t walked;
	uint32_t steps_taken;	/* in this call, without a packet */
	uint64_t too_large;	/* packets dropped as too large, not reported yet */
	struct sequence *told;	/* sequence of the last packet read */
	uint8_t *whole;		/* a packet assembled from fragments */
	size_t whole_room;
};

static inline struct record *record_at(const struct trace_buffer *c, uint32_t place)
{
	return (struct record *)(void *)(c->memory + (size_t)(place - 1) * RECORD_ALIGN);
}

static inline struct record *record_off(const struct trace_buffer *c, size_t off)
{
	return (struct record *)(void *)(c->memory + off);
}

static inline uint32_t record_place(const struct trace_buffer *c, const struct record *r)
{
	return (uint32_t)((size_t)((const uint8_t *)r - c->memory) / RECORD_ALIGN + 1);
}

static inline bool record_is_chunk(const struct record *r)
{
	return r->sequence != RECORD_FREE && r->sequence != RECORD_PADDING;
}

static inline uint8_t *record_payload(struct record *r)
{
	return (uint8_t *)(r + 1);
}

static inline struct sequence *record_sequence(const struct trace_buffer *c, const struct record *r)
{
	return c->sequences.rows[r->sequence - 1];
}

/* Returns the next unread fragment */
static inline struct fragment record_fragment(struct record *r)
{
	return fragment_at(record_payload(r), r->used, (size_t)(r->used - r->left), r->flags);
}

static inline uint32_t record_size(size_t payload)
{
	return (uint32_t)((sizeof(struct record) + payload + RECORD_ALIGN - 1) &
			  ~(size_t)(RECORD_ALIGN - 1));
}

/* Called before these bytes change: saves them for copies (trace_buffer_copy.c). */
void trace_buffer_save_for(struct trace_buffer *c, size_t off, size_t size);
/*
 * Ends the copying of @copy if it was not complete. Frees an unwanted original with the last copy,
 * in steps. Return: true if steps are left.
 */
bool trace_buffer_copy_end(struct trace_buffer *copy);
/* Makes incomplete copies of @c go on with @old, which has its memory now. */
void trace_buffer_copy_from(struct trace_buffer *c, struct trace_buffer *old);

static inline void trace_buffer_saves(struct trace_buffer *c, size_t off, size_t size)
{
	if (!LIST_EMPTY(&c->copies))
		trace_buffer_save_for(c, off, size);
}

/* Called before a record's header changes, or the whole record. */
static inline void record_changes(struct trace_buffer *c, const struct record *r)
{
	trace_buffer_saves(c, (size_t)((const uint8_t *)r - c->memory), sizeof(*r));
}

static inline void record_changes_whole(struct trace_buffer *c, const struct record *r)
{
	trace_buffer_saves(c, (size_t)((const uint8_t *)r - c->memory), r->size);
}

/*
 * Makes a chunk's record of @size bytes at the tail and adds it to its sequence's list after
 * @older (place, 0: first). The caller has cleared the room.
 */
struct record *ring_append(struct trace_buffer *c, struct sequence *s, uint32_t older,
			   uint32_t size);
/* Takes a record out of its sequence's list, marks it as free, and counts it as read or dropped. */
void ring_erase(struct trace_buffer *c, struct record *r);
/* Likewise for all of a sequence, but the caller frees the memory, and counts what was dropped. */
void ring_erase_all(struct trace_buffer *c, struct sequence *s);
/*
 * Drops what is in the next @size bytes from the tail on, in the order of its sequences.
 * Return: the end of the last record that began there
 */
size_t ring_drop(struct trace_buffer *c, size_t size);
/* Turns the rest of the last dropped record, between tail and @end, into padding. */
void ring_pad(struct trace_buffer *c, size_t end);
/*
 * Joins free records from the one at @off on, so that readers skip them at once. Very many become
 * several.
 * Return: the offset of the next record
 */
size_t ring_join(struct trace_buffer *c, size_t off);

#endif
