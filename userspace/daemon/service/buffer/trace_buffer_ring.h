/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_buffer_ring.h - the memory of a buffer: records one after another, and lists of them by
 * writer
 *
 *	0            tail                                  used          size
 *	+------+-----+---------+-----------+------+--------+- - - - - - -+
 *	| record     | oldest record       | free | padding| never used  |
 *	+------+-----+---------+-----------+------+--------+- - - - - - -+
 *
 * From tail to used and from 0 to tail there are records without a hole; the next one is written
 * at tail. A record is a chunk of a writer, free (what was read or dropped, and its neighbours that
 * were, too), or padding (what is left of a chunk that was written over in part). Chunks of a
 * writer are a list in the order of their ids; the list's ends are in struct sequence. Places are
 * offsets / 8 + 1, 0 is none: the memory can be copied as it is (PFT-83).
 */
#ifndef KTRACED_SERVICE_BUFFER_TRACE_BUFFER_RING_H
#define KTRACED_SERVICE_BUFFER_TRACE_BUFFER_RING_H

#include "fragment.h"
#include "sequence.h"

#include <sys/queue.h>

/* Of struct record, besides those of the chunk's header */
#define RECORD_INCOMPLETE 0x80	/* was scraped: more may come */
#define RECORD_ABORTED 0x40	/* behind its packets one was given up by its writer */
#define RECORD_MALFORMED 0x20	/* behind its packets nothing made sense */
#define RECORD_DROPPED 0x10	/* a part of it was dropped unread */

/* record.sequence: row + 1, or */
#define RECORD_FREE 0u
#define RECORD_PADDING 0xffffffffu

struct record {
	uint32_t size;		/* of all of it, a multiple of 8; padding has these two alone */
	uint32_t sequence;
	uint32_t id;
	uint32_t older;		/* places, in the sequence */
	uint32_t newer;
	uint16_t room;		/* of the payload */
	uint16_t used;		/* whole packets and fragments in it */
	uint16_t left;		/* of these, the last that were not read */
	uint8_t flags;
	uint8_t reserved;
};

#define RECORD_ALIGN 8u
#define RECORD_PAYLOAD_MAX 65535u

struct trace_buffer {
	/* As an original: copies that are not whole yet. It goes with the last of them. */
	LIST_HEAD(, trace_buffer) copies;
	bool is_unwanted;
	/* As such a copy */
	LIST_ENTRY(trace_buffer) copy_link;
	struct trace_buffer *original;	/* NULL: it is whole, and has no original to give back */
	bool *has_block;		/* NULL: it is whole */
	size_t copied_nr;		/* blocks, from the first one on */

	uint8_t *memory;
	size_t size;
	size_t used;
	size_t tail;
	enum trace_buffer_policy policy;
	bool is_sealed;		/* DISCARD: a chunk did not fit */
	bool is_finished;	/* no more can come */
	bool is_clone;
	struct sequences sequences;
	struct trace_buffer_stats stats;
	uint64_t unread;	/* bytes of fragments */
	uint32_t steps;		/* towards chunks behind the latest, not paid for yet */
	/* A pass of reading */
	bool is_reading;
	uint64_t pass;
	size_t at;		/* record at hand */
	size_t walked;
	uint32_t steps_taken;	/* in this call, without a packet */
	uint64_t too_large;	/* packets that were dropped for that, not told yet */
	struct sequence *told;	/* whose packet was read last */
	uint8_t *whole;		/* a packet put together of fragments */
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

/* What is to be read next in it */
static inline struct fragment record_fragment(struct record *r)
{
	return fragment_at(record_payload(r), r->used, (size_t)(r->used - r->left), r->flags);
}

static inline uint32_t record_size(size_t payload)
{
	return (uint32_t)((sizeof(struct record) + payload + RECORD_ALIGN - 1) &
			  ~(size_t)(RECORD_ALIGN - 1));
}

/* These bytes are to be changed: copies have to have them as they are (trace_buffer_copy.c). */
void trace_buffer_save_for(struct trace_buffer *c, size_t off, size_t size);
/*
 * There is one copy less, if @copy was not whole. The last one gives back an original that is
 * unwanted, in steps. Return: whether there are more.
 */
bool trace_buffer_copy_end(struct trace_buffer *copy);
/* Copies of @c that are not whole go on with @old, which has its memory now. */
void trace_buffer_copy_from(struct trace_buffer *c, struct trace_buffer *old);

static inline void trace_buffer_saves(struct trace_buffer *c, size_t off, size_t size)
{
	if (!LIST_EMPTY(&c->copies))
		trace_buffer_save_for(c, off, size);
}

/* So is a record's beginning, or all of it. */
static inline void record_changes(struct trace_buffer *c, const struct record *r)
{
	trace_buffer_saves(c, (size_t)((const uint8_t *)r - c->memory), sizeof(*r));
}

static inline void record_changes_whole(struct trace_buffer *c, const struct record *r)
{
	trace_buffer_saves(c, (size_t)((const uint8_t *)r - c->memory), r->size);
}

/*
 * Makes a chunk's record of @size bytes at the tail and puts it into its sequence's list behind
 * @older (place, 0: first). The caller has cleared the room.
 */
struct record *ring_append(struct trace_buffer *c, struct sequence *s, uint32_t older,
			   uint32_t size);
/* Takes a record out of its sequence's list: it is free then, and counted as read or dropped. */
void ring_erase(struct trace_buffer *c, struct record *r);
/* So are all of a sequence, but the caller gives back the memory, and counts what was dropped. */
void ring_erase_all(struct trace_buffer *c, struct sequence *s);
/*
 * Drops what is in the next @size bytes from the tail on, in the order of its sequences.
 * Return: where the last record ends that began there
 */
size_t ring_drop(struct trace_buffer *c, size_t size);
/* What is left of the last record that was dropped, between tail and @end, becomes padding. */
void ring_pad(struct trace_buffer *c, size_t end);
/*
 * Records that are free, from the one at @off on, become one: a reader is to pass them once. Very
 * many become several ones.
 * Return: where the next record is
 */
size_t ring_join(struct trace_buffer *c, size_t off);

#endif
