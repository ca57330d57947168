/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sequence.h - what a buffer knows of one writer: its chunks in order, what went out, what is lost
 *
 * A table of them finds the one of a writer; a record names it by the number of its row, which it
 * keeps. A writer that has ended keeps its row while it has chunks: a new one with the same id gets
 * another (PFT-36). Of rows without chunks some are kept, to know of gaps and to tell statistics,
 * but not more than SEQUENCE_IDLE_MAX or as many as are in use; the others are free. A row takes
 * much more memory than a chunk may, so there are SEQUENCE_MAX at most.
 */
#ifndef KTRACED_SERVICE_BUFFER_SEQUENCE_H
#define KTRACED_SERVICE_BUFFER_SEQUENCE_H

#include "trace_buffer.h"

#define SEQUENCE_IDLE_MAX 4096u
#define SEQUENCE_MAX 65536u

struct sequence {
	struct trace_buffer_origin origin;
	uint32_t index;			/* its row */
	uint32_t first;			/* places of records, by id; 0: none */
	uint32_t last;
	uint32_t gone_id;		/* the last chunk that was read or dropped, */
	uint16_t gone_used;		/* how much it had, */
	bool gone_incomplete;		/* and whether more could come */
	bool has_gone;
	bool has_settled;
	uint32_t settled_id;		/* what is missing before it does not come any more */
	bool has_ended;
	bool has_emitted;
	uint32_t lost;			/* causes, until the next packet tells them */
	uint64_t stalled_pass;		/* nothing to be had of it in this pass */
	uint64_t idle_since;		/* order in which sequences became empty */
	uint64_t counts[TRACE_BUFFER_BUCKETS + 1];
	int64_t sums[TRACE_BUFFER_BUCKETS + 1];
};

struct sequences {
	struct sequence **rows;		/* NULL: free */
	uint32_t nr;			/* up to the last one, */
	uint32_t used;			/* without those that are free, */
	uint32_t taken;			/* and up to the first of these, at most */
	uint32_t room;
	uint32_t *slots;		/* row + 1, by hash; 0: free */
	uint32_t slot_nr;		/* power of two */
	uint64_t clock;			/* of idle_since */
	uint32_t sweep_at;		/* rows in use, */
	uint64_t sweep_after;		/* and not before the clock is there */
	struct sequence *copies;	/* memory of all rows; NULL: each has its own */
};

void sequences_exit(struct sequences *t);
/* Rows alone: none is found, or made. Return: 0, -ENOMEM; @to is empty then. */
int sequences_copy(struct sequences *to, const struct sequences *from);
struct sequence *sequences_find(const struct sequences *t,
				const struct trace_buffer_origin *origin);
/* Finds it or makes it. Return: NULL if there is no memory, or too many. */
struct sequence *sequences_get(struct sequences *t, const struct trace_buffer_origin *origin);
static inline bool sequences_are_full(const struct sequences *t)
{
	return t->used >= SEQUENCE_MAX;
}
/* Rows without chunks are free. */
void sequences_forget_idle(struct sequences *t);
/* Its writer will not come back: the next one with its id is another. */
void sequences_end(struct sequences *t, struct sequence *s);
void sequence_is_idle(struct sequences *t, struct sequence *s);
/* A chunk of @size bytes of packets */
void sequence_count(struct sequence *s, size_t size);

/* How ids of chunks follow each other, across their wrap: < 0, 0, > 0 (PFT-52) */
static inline int32_t chunk_id_order(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

#endif
