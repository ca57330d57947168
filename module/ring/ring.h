/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * ring.h - the ring algorithm: nesting writer, block change, reader
 *
 * Pure: memory is handed in, nothing is allocated, nothing sleeps. The same files are built into
 * the module, libktrace, KUnit suites and sanitizer tests. Documentation/ring.md and
 * Documentation/memory-ordering.md explain why it is correct.
 */
#ifndef KT_RING_RING_H
#define KT_RING_RING_H

#include "port.h"

/**
 * struct kt_ring - one ring as its user sees it: a private, checked copy of the geometry
 * @w:		the writer's words
 * @data:	the bytes
 * @tail:	the reader's word
 * @size:	bytes of @data, power of two
 * @block_size:	power of two, at most a quarter of @size
 * @policy:	enum ktrace_policy
 * @clock:	enum ktrace_clock
 * @index:	of the ring in its channel
 * @owner:	CPU number or thread id
 * @quick:	@block_size - 1 if fast.h may be used on this ring, else 0
 * @mask:	@size - 1 if @quick is set
 *
 * 64 bytes, so that indexing an array of them is a shift.
 */
struct kt_ring {
	struct ktrace_ring *w;
	char *data;
	struct ktrace_tail *tail;
	__u64 size;
	__u32 block_size;
	__u32 policy;
	__u32 clock;
	__u32 index;
	__u32 owner;
	__u32 quick;
	__u64 mask;
};

enum kt_ring_result {
	KT_RING_OK = 0,
	KT_RING_LOST,		/* not recorded, counted */
	KT_RING_WAIT,		/* block policy: no room now; not counted */
};

/**
 * struct kt_opening - bytes that open a block: header and, after a loss, a LOST record
 * @block:	header
 * @rec:	header of the LOST record
 * @lost:	its payload
 * @size:	bytes to store: sizeof(block), or with the LOST record
 */
struct kt_opening {
	struct ktrace_block block;
	struct ktrace_record rec;
	struct ktrace_lost lost;
	__u32 size;
};

#define KT_OPENING_MAX (sizeof(struct ktrace_block) + sizeof(struct ktrace_record) + \
			sizeof(struct ktrace_lost))

/* Verdict of kt_ring_open_block() */
enum kt_open_result {
	KT_OPEN_OK,		/* store the opening, publish */
	KT_OPEN_FULL,		/* count KTRACE_LOST_FULL */
	KT_OPEN_SUSPEND,	/* pad to the end of the block, set suspend, count STOPPED */
	KT_OPEN_STOPPED,	/* count KTRACE_LOST_STOPPED */
	KT_OPEN_WAIT,		/* block policy: wait, or count TIMEOUT */
	KT_OPEN_NESTED,		/* count KTRACE_LOST_NESTED */
};

/**
 * struct kt_slot - what kt_ring_reserve() hands out
 * @rec:	the record, header filled in
 * @payload:	to be filled in before kt_ring_commit()
 * @ts:		stamp
 * @reserve:	the ring's word as this writer stored it
 * @end:	position after the record
 * @is_inner:	an outer writer will publish it
 */
struct kt_slot {
	struct ktrace_record *rec;
	void *payload;
	__u64 ts;
	__u64 reserve;
	__u64 end;
	bool is_inner;
};

/* For kt_ring_open_block(): this writer does not count records */
#define KT_RECORDS_UNKNOWN (~0ull)

static inline __u64 kt_block_end(const struct kt_ring *r, __u64 pos)
{
	return (pos + r->block_size - 1) & ~(__u64)(r->block_size - 1);
}

/* Returns the bytes left in the block of @pos; 0 at a boundary: a block must be opened. */
static inline __u32 kt_block_room(const struct kt_ring *r, __u64 pos)
{
	return (__u32)-pos & (r->block_size - 1);
}

static inline void *kt_ring_at(const struct kt_ring *r, __u64 pos)
{
	return r->data + (pos & (r->size - 1));
}

/** kt_ring_make_quick - allow the fast path, fast.h, on a ring whose geometry is filled in */
static inline void kt_ring_make_quick(struct kt_ring *r)
{
	r->quick = r->block_size - 1;
	r->mask = r->size - 1;
}

/* Positions are compared by difference: they wrap. */
static inline bool kt_pos_is_before(__u64 a, __u64 b)
{
	return (__s64)(a - b) < 0;
}

/*
 * Returns the oldest position that a writer at @head cannot be storing to (overwrite policy). In a
 * ring that was never full it is before the first position.
 */
static inline __u64 kt_ring_oldest(const struct kt_ring *r, __u64 head)
{
	return kt_block_end(r, head) + r->block_size - r->size;
}

/* layout.c */
bool kt_ring_geometry_ok(__u64 size, __u32 block_size);
__u32 kt_ring_payload_max(__u32 block_size);

/* writer.c */
void kt_ring_adopt(const struct kt_ring *r);
enum kt_open_result kt_ring_open_block(const struct kt_ring *r, __u64 pos, __u64 published,
				       __u64 records, struct kt_opening *o);
enum ktrace_lost_reason kt_open_reason(enum kt_open_result why);
__u64 kt_ring_count_records(const struct kt_ring *r, __u64 head);
enum kt_ring_result kt_ring_reserve(const struct kt_ring *r, __u16 id, __u32 len,
				    __u32 tid_flags, struct kt_slot *slot);
void kt_ring_commit(const struct kt_ring *r, const struct kt_slot *slot);
void kt_ring_publish_rest(const struct kt_ring *r, __u64 end);
bool kt_ring_is_busy(const struct kt_ring *r);

/* reader.c */

/**
 * struct kt_cursor - walks the records of one block, or part of one, of hostile bytes
 * @base:	first byte
 * @off:	offset of the next record
 * @end:	bytes
 */
struct kt_cursor {
	const char *base;
	__u32 off;
	__u32 end;
};

enum kt_cursor_result {
	KT_CURSOR_END = 0,
	KT_CURSOR_RECORD = 1,
	KT_CURSOR_CORRUPT = -1,
};

/**
 * kt_cursor_next - get the next record
 * @c:		the cursor; moves past the record
 * @rec:	its header, copied once and checked
 * @payload:	where its rec->len bytes are
 *
 * Padding ends the walk and is not delivered. LOST records are.
 *
 * Return: KT_CURSOR_RECORD, KT_CURSOR_END, or KT_CURSOR_CORRUPT (cursor unmoved).
 */
static inline int kt_cursor_next(struct kt_cursor *c, struct ktrace_record *rec,
				 const char **payload)
{
	__u32 room = c->end - c->off;
	const char *at;

	if (room < sizeof(*rec))
		return KT_CURSOR_END;
	at = c->base + c->off;	/* base may be NULL if there are no bytes */
	kt_memcpy(rec, at, sizeof(*rec));
	/* The copy is checked and used, whatever happens to the original. */
	kt_barrier();
	if (rec->id == KTRACE_ID_PAD) {
		c->off = c->end;
		return KT_CURSOR_END;
	}
	if (kt_unlikely(KTRACE_RECORD_SIZE(rec->len) > room))
		return KT_CURSOR_CORRUPT;
	*payload = at + sizeof(*rec);
	c->off += KTRACE_RECORD_SIZE(rec->len);
	return KT_CURSOR_RECORD;
}

static inline bool kt_record_is_event(const struct ktrace_record *rec)
{
	return rec->id != KTRACE_ID_LOST;
}

/**
 * struct kt_reader - the reader of one live ring
 * @ring:	the ring; @ring.w and @ring.data may be read-only mappings
 * @pos:	end of what has been consumed; the published tail
 * @seen:	the last head that was seen; only a forged one is before it
 * @records:	records consumed or known to be lost, as ktrace_block.records counts
 * @lost:	what the reader itself lost: OVERWRITTEN, CORRUPT and UNWRITTEN
 * @saved:	sum of the reader's losses that are saved beside the tail
 * @save_next:	entry of ktrace_tail.lost to write next
 */
struct kt_reader {
	struct kt_ring ring;
	__u64 pos;
	__u64 seen;
	__u64 records;
	struct ktrace_lost lost;
	__u64 saved;
	__u32 save_next;
};

/**
 * struct kt_chunk - whole records of one block, in place
 * @pos:	position of the first byte
 * @data:	the bytes; begins with struct ktrace_block if @pos is at a block's beginning
 * @size:	bytes, only whole and sane records
 * @next_pos:	where reading continues: after padding, or after a damaged rest
 * @records:	records other than padding and LOST
 * @first_ts:	stamp of the first record, or of the block header when there is none
 * @last_ts:	largest stamp
 * @corrupt:	damaged places in it
 */
struct kt_chunk {
	__u64 pos;
	const char *data;
	__u64 next_pos;
	__u64 first_ts;
	__u64 last_ts;
	__u32 size;
	__u32 records;
	__u32 corrupt;
};

void kt_reader_init(struct kt_reader *rd, const struct kt_ring *ring);
void kt_reader_resume(struct kt_reader *rd, __u64 pos, __u64 records, __u64 overwritten);
void kt_reader_unwritten(struct kt_reader *rd, __u64 records);
bool kt_reader_peek(struct kt_reader *rd, bool partial, struct kt_chunk *c);
bool kt_reader_still_valid(const struct kt_reader *rd, const struct kt_chunk *c);
void kt_reader_advance(struct kt_reader *rd, const struct kt_chunk *c);
void kt_reader_lost(const struct kt_reader *rd, struct ktrace_lost *sum);
__u64 kt_reader_unread(struct kt_reader *rd);

#endif
