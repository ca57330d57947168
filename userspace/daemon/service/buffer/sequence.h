/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sequence.h - what a buffer knows of a writer: its chunks in order, what was read or lost
 *
 * A hash table finds the sequence of a writer; a record has the number of its row, which does not
 * change. A writer that has ended keeps its row while it has chunks: a new one with the same id
 * gets another (PFT-36). Some rows without chunks are kept, to detect gaps and for statistics, but
 * at most SEQUENCE_IDLE_MAX or as many as are in use; the others are free. A row may take much
 * more memory than a chunk, so there are at most SEQUENCE_MAX.
 */
#ifndef KTRACED_SERVICE_BUFFER_SEQUENCE_H
#define KTRACED_SERVICE_BUFFER_SEQUENCE_H

#include "trace_buffer.h"

#define SEQUENCE_IDLE_MAX 4096u
#define SEQUENCE_MAX 65536u

struct sequence {
	struct trace_buffer_origin origin;
	uint32_t index;			/* number of its row */
	uint32_t first;			/* places of records, by id; 0 = none */
	uint32_t last;
	uint32_t gone_id;		/* last chunk read or dropped */
	uint16_t gone_used;		/* its bytes of packets */
	bool gone_incomplete;		/* more of it could still come */
	bool has_gone;
	bool has_settled;
	uint32_t settled_id;		/* chunks missing before it will not come */
	bool has_ended;
	bool has_emitted;
	uint32_t lost;			/* causes of losses to report in the next packet */
	uint64_t stalled_pass;		/* pass in which it has no more packets */
	uint64_t idle_since;		/* order in which sequences ran empty */
	uint64_t counts[TRACE_BUFFER_BUCKETS + 1];
	int64_t sums[TRACE_BUFFER_BUCKETS + 1];
};

struct sequences {
	struct sequence **rows;		/* NULL = free */
	uint32_t nr;			/* rows up to the last in use */
	uint32_t used;			/* rows in use */
	uint32_t taken;			/* no row below is free */
	uint32_t room;
	uint32_t *slots;		/* row + 1, by hash; 0 = free */
	uint32_t slot_nr;		/* power of two */
	uint64_t clock;			/* of idle_since */
	uint32_t sweep_at;		/* rows in use that cause a sweep */
	uint64_t sweep_after;		/* but not before this clock */
	struct sequence *copies;	/* memory of all rows; NULL: separate */
};

void sequences_exit(struct sequences *t);
/*
 * Copies rows only: the copy cannot find or add sequences. Return: 0, -ENOMEM; @to is empty then.
 */
int sequences_copy(struct sequences *to, const struct sequences *from);
struct sequence *sequences_find(const struct sequences *t,
				const struct trace_buffer_origin *origin);
/* Finds or adds a sequence. Return: NULL if out of memory, or if there are too many. */
struct sequence *sequences_get(struct sequences *t, const struct trace_buffer_origin *origin);
static inline bool sequences_are_full(const struct sequences *t)
{
	return t->used >= SEQUENCE_MAX;
}
/* Frees rows without chunks. */
void sequences_forget_idle(struct sequences *t);
/* The writer will not come back: the next one with its id gets another sequence. */
void sequences_end(struct sequences *t, struct sequence *s);
void sequence_is_idle(struct sequences *t, struct sequence *s);
/* Counts a chunk with @size bytes of packets. */
void sequence_count(struct sequence *s, size_t size);

/* Compares ids of chunks, across their wrap: < 0, 0, > 0 (PFT-52) */
static inline int32_t chunk_id_order(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

#endif
