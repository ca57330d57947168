/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pft_chunk.h - chunks made packet by packet, and what comes out of a buffer
 *
 * A packet of N bytes is made of one letter, so that tests can say which one they mean.
 */
#ifndef TESTS_PFT_CHUNK_H
#define TESTS_PFT_CHUNK_H

#include "check.h"

#include "service/buffer/trace_buffer_ring.h"
#include "service/buffer/shmem_page.h"
#include "service/ipc/wire.h"

/* Bytes of a record beside its payload */
#define RECORD sizeof(struct record)

/* Returns bytes that have not been read yet: 0 = empty */
static inline size_t trace_buffer_fill(const struct trace_buffer *c)
{
	return c->unread;
}

/* Makes all steps of a copy. Return: 0, -ENOMEM. */
static inline int trace_buffer_clone(struct trace_buffer *c, struct trace_buffer **out)
{
	int r = trace_buffer_copy_begin(c, out);

	while (!r && trace_buffer_copy_step(*out))
		;
	return r;
}

struct made {
	uint8_t bytes[70000];
	struct trace_buffer_chunk chunk;
};

static inline void made_begin(struct made *m, uint16_t producer, uint16_t writer, uint32_t id)
{
	m->chunk = (struct trace_buffer_chunk){
		.origin = { .producer = producer, .writer = writer, .uid = 1000 + producer,
			    .pid = 5000 + producer },
		.id = id, .is_complete = true, .payload = m->bytes,
	};
}

static inline void made_raw(struct made *m, const void *bytes, size_t size)
{
	memcpy(m->bytes + m->chunk.size, bytes, size);
	m->chunk.size += size;
}

static inline void made_packet(struct made *m, char letter, size_t size)
{
	uint8_t *at = m->bytes + m->chunk.size;
	uint8_t *data = wire_put_varint(at, size);

	memset(data, letter, size);
	m->chunk.size += (size_t)(data - at) + size;
	m->chunk.packets++;
}

/* One packet that is given up */
static inline void made_aborted(struct made *m)
{
	made_raw(m, "\xff\xff\xff\x7f", 4);
	m->chunk.packets++;
}

/* Space at the end that no packet has, as in chunks of shared memory */
static inline void made_slack(struct made *m, size_t size)
{
	memset(m->bytes + m->chunk.size, 0, size);
	m->chunk.size += size;
}

/* A chunk with one packet, put at once */
static inline void put_one(struct trace_buffer *c, uint16_t writer, uint32_t id, uint8_t flags,
			   char letter, size_t size)
{
	static struct made m;

	made_begin(&m, 1, writer, id);
	made_packet(&m, letter, size);
	m.chunk.flags = flags;
	trace_buffer_put(c, &m.chunk);
}

static inline struct trace_buffer *make_trace_buffer(size_t size, enum trace_buffer_policy policy)
{
	struct trace_buffer *c;

	CHECK_EQ(trace_buffer_alloc(&c, size, policy), 0);
	return c;
}

/* E.12: what is in the buffer is what the counts say, by walking through it. */
static inline void check_ledger(const struct trace_buffer *c)
{
	const struct trace_buffer_stats *s = &c->stats;
	size_t bytes = 0, unread = 0, padding = 0, chunks = 0;
	const struct record *r;

	for (size_t off = 0; off < c->used; off += r->size) {
		r = record_off(c, off);
		CHECK(r->size >= 8 && r->size % 8 == 0 && off + r->size <= c->used);
		if (r->sequence == RECORD_PADDING)
			padding += r->size;
		if (!record_is_chunk(r))
			continue;
		CHECK(r->sequence <= c->sequences.nr);
		CHECK(r->left <= r->used && r->used <= r->room);
		bytes += r->size;
		unread += r->left;
		chunks++;
	}
	CHECK_EQ(bytes, s->bytes_written - s->bytes_read - s->bytes_overwritten);
	CHECK_EQ(padding, s->padding_bytes_written - s->padding_bytes_cleared);
	CHECK_EQ(chunks, s->chunks_written - s->chunks_read - s->chunks_overwritten);
	CHECK(bytes + padding <= s->buffer_size);
	CHECK_EQ(unread, trace_buffer_fill(c));
}

/* The next packet is @size times @letter, with these causes of loss before it. */
#define EXPECT_LOST(c, letter, length, causes) do { \
	struct trace_buffer_packet p_; \
	CHECK(trace_buffer_read(c, &p_)); \
	CHECK_EQ(p_.size, length); \
	for (size_t i_ = 0; i_ < p_.size; i_++) \
		CHECK_EQ(p_.data[i_], letter); \
	/* The first of a sequence always says that it may not be the first. */ \
	CHECK_EQ(p_.dropped, (causes) | (p_.is_first ? TRACE_BUFFER_DROPPED : 0)); \
} while (0)
#define EXPECT(c, letter, length) EXPECT_LOST(c, letter, length, 0)
#define EXPECT_END(c) do { \
	struct trace_buffer_packet p_; \
	CHECK(!trace_buffer_read(c, &p_)); \
	check_ledger(c); \
} while (0)

#endif
