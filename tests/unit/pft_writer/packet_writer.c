// SPDX-License-Identifier: GPL-2.0
/* packet_writer.c - packets of one thread into shared pages */
#include "packet_writer.h"

#include "service/ipc/wire.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* A packet does not begin where there is less room than this. */
#define ROOM_MIN (SHMEM_PACKET_HEADER + 8)

enum {
	FIELD_DROPPED = 42,
	FIELD_FIRST = 87,
	DROPPED_SMB_FULL = 1 | 256,
};

int packet_writer_init(struct packet_writer *w, struct arbiter *a, uint32_t target,
		       enum exhausted policy)
{
	*w = (struct packet_writer){
		.arbiter = a, .policy = policy, .target = target, .id = arbiter_writer(a),
	};
	return w->id ? 0 : -EMFILE;
}

static uint8_t *payload(const struct packet_writer *w)
{
	return w->chunk.begin + SHMEM_CHUNK_HEADER;
}

static size_t room(const struct packet_writer *w)
{
	return w->chunk.begin ? w->chunk.size - SHMEM_CHUNK_HEADER - w->at : 0;
}

/* A size in four bytes, whatever it is */
static void put_size(uint8_t *to, uint64_t size)
{
	for (int i = 0; i < 3; i++, size >>= 7)
		*to++ = (uint8_t)(size | 0x80);
	*to = size & 0x7f;
}

static void tell_packets(struct packet_writer *w)
{
	shmem_header_packets(w->chunk.begin, w->packets, w->flags);
}

static void end_fragment(struct packet_writer *w)
{
	put_size(payload(w) + w->fragment, w->at - w->fragment - SHMEM_PACKET_HEADER);
}

static void return_chunk(struct packet_writer *w)
{
	if (!w->chunk.begin)
		return;
	arbiter_return(w->arbiter, w->target, &w->chunk);
	w->chunk.begin = NULL;
}

static void begin_fragment(struct packet_writer *w)
{
	w->fragment = w->at;
	put_size(payload(w) + w->at, 0);
	w->at += SHMEM_PACKET_HEADER;
	w->packets++;
	tell_packets(w);
}

/* Messages that are not closed have their size in this chunk, or in one before. */
static bool has_open_sizes(const struct packet_writer *w)
{
	for (unsigned int i = 0; i < w->depth; i++)
		if (w->nest[i].chunk_id == w->chunk_id - 1)
			return true;
	return false;
}

/* The packet cannot go on: its reader is told not to wait for the rest. */
static void give_up(struct packet_writer *w)
{
	if (w->chunk.begin && w->is_open) {
		put_size(payload(w) + w->fragment, SHMEM_PACKET_ABORTED);
		w->flags &= (uint8_t)~(SHMEM_CONTINUES_NEXT | SHMEM_NEEDS_PATCHING);
		tell_packets(w);
	}
	w->is_dropping = true;
	return_chunk(w);
}

/* The next chunk, in which a packet that is open goes on. Return: whether there was one. */
static bool next_chunk(struct packet_writer *w)
{
	const struct shmem_header header = {
		.id = w->chunk_id, .writer = w->id,
		.flags = w->is_open ? SHMEM_CONTINUES_PREVIOUS : 0,
	};
	struct arbiter_chunk chunk;

	if (!arbiter_acquire(w->arbiter, &header, w->is_dropping ? EXHAUSTED_DROP : w->policy,
			     &chunk)) {
		give_up(w);
		return false;
	}
	if (w->is_open) {
		end_fragment(w);
		w->flags |= SHMEM_CONTINUES_NEXT;
		if (has_open_sizes(w))
			w->flags |= SHMEM_NEEDS_PATCHING;
		tell_packets(w);
	}
	return_chunk(w);
	w->chunk = chunk;
	w->chunk_id++;
	w->at = 0;
	w->packets = 0;
	w->flags = header.flags;
	if (w->is_open)
		begin_fragment(w);
	return true;
}

static void put_flag(struct packet_writer *w, uint32_t field, uint64_t value)
{
	uint8_t bytes[2 * WIRE_VARINT_MAX];

	packet_put(w, bytes, (size_t)(wire_put_number(bytes, field, value) - bytes));
}

void packet_begin(struct packet_writer *w)
{
	const bool was_dropping = w->is_dropping;

	w->written = 0;
	w->depth = 0;
	w->is_open = false;
	if ((room(w) < ROOM_MIN || w->packets >= SHMEM_COUNT_MAX - 1 || was_dropping) &&
	    !next_chunk(w))
		return;
	w->is_dropping = false;
	w->is_open = true;
	begin_fragment(w);
	if (!w->has_begun)
		put_flag(w, FIELD_FIRST, 1);
	else if (was_dropping)
		put_flag(w, FIELD_DROPPED, DROPPED_SMB_FULL);
	w->has_begun = true;
}

void packet_put(struct packet_writer *w, const void *data, size_t size)
{
	while (size && w->is_open && !w->is_dropping) {
		const size_t part = size < room(w) ? size : room(w);

		if (!part) {
			next_chunk(w);
			continue;
		}
		memcpy(payload(w) + w->at, data, part);
		data = (const uint8_t *)data + part;
		w->at += part;
		w->written += part;
		size -= part;
	}
}

void packet_open(struct packet_writer *w, uint32_t field)
{
	uint8_t tag[WIRE_VARINT_MAX];
	const uint8_t *end = wire_put_varint(tag, (uint64_t)field << 3 | WIRE_BYTES);

	packet_put(w, tag, (size_t)(end - tag));
	assert(w->depth < PACKET_DEPTH_MAX);
	/* A size does not go over the end of a chunk: it is patched as a whole. */
	if (w->is_open && !w->is_dropping && room(w) < SHMEM_PACKET_HEADER)
		next_chunk(w);
	w->nest[w->depth++] = (struct packet_nest){
		w->chunk_id - 1, (uint32_t)w->at, w->written + SHMEM_PACKET_HEADER,
	};
	packet_put(w, "\x80\x80\x80", SHMEM_PACKET_HEADER);
}

/* Other messages have their sizes in the same chunk. */
static bool shares_chunk(const struct packet_writer *w, uint32_t chunk_id)
{
	for (unsigned int i = 0; i < w->depth; i++)
		if (w->nest[i].chunk_id == chunk_id)
			return true;
	return false;
}

void packet_close(struct packet_writer *w)
{
	const struct packet_nest *nest = &w->nest[--w->depth];
	struct arbiter_patch patch = { .chunk_id = nest->chunk_id, .offset = nest->offset };

	if (!w->is_open)
		return;
	if (nest->chunk_id == w->chunk_id - 1) {
		if (!w->is_dropping)
			put_size(payload(w) + nest->offset, w->written - nest->begin);
		return;
	}
	/* Also of a packet that was given up: the service waits for it before it drops it. */
	put_size(patch.data, w->written - nest->begin);
	patch.has_more = shares_chunk(w, nest->chunk_id);
	arbiter_patch(w->arbiter, w->target, w->id, &patch);
}

void packet_end(struct packet_writer *w)
{
	if (!w->is_open || w->is_dropping)
		w->dropped++;
	else
		end_fragment(w);
	w->is_open = false;
}

void packet_flush(struct packet_writer *w, uint64_t flush)
{
	return_chunk(w);
	arbiter_commit(w->arbiter, flush);
}

void packet_writer_exit(struct packet_writer *w)
{
	packet_flush(w, 0);
	arbiter_writer_end(w->arbiter, w->id);
}
