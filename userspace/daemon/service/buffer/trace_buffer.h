/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_buffer.h - a buffer of a session: keeps chunks of many writers until they are read
 *
 * Chunks arrive as private copies, never as shared memory. They arrive in any order and are read
 * by writer and chunk id; packets are read whole or not at all (PFT-50..56). Sizes are in bytes.
 */
#ifndef KTRACED_SERVICE_BUFFER_TRACE_BUFFER_H
#define KTRACED_SERVICE_BUFFER_TRACE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_buffer;

enum trace_buffer_policy {
	TRACE_BUFFER_RING,		/* the oldest chunks make room */
	TRACE_BUFFER_DISCARD,	/* ends at the first chunk that does not fit (PFT-51) */
};

/* Who wrote a chunk: taken from the connection, not from the producer's data (PFT-09). */
struct trace_buffer_origin {
	uint16_t producer;
	uint16_t writer;
	uint32_t machine;
	uid_t uid;
	pid_t pid;
};

struct trace_buffer_chunk {
	struct trace_buffer_origin origin;
	uint32_t id;		/* per writer, ascending, wraps */
	uint16_t packets;	/* number of fragments started */
	uint8_t flags;		/* SHMEM_FLAGS, as in its header in shared memory */
	bool is_complete;	/* else scraped: its last packet does not count (PFT-56) */
	const uint8_t *payload;	/* the bytes after the chunk's header */
	size_t size;
};

/* Data of a patch is always four bytes. */
struct trace_buffer_patch {
	uint32_t offset;	/* in the payload */
	uint8_t data[4];
};

/* Causes of missing packets before one: previous_packet_dropped (PFT-55) */
#define TRACE_BUFFER_DROPPED 1
#define TRACE_BUFFER_READ_GAP 2
#define TRACE_BUFFER_CORRUPT 4
#define TRACE_BUFFER_ORPHAN 8
#define TRACE_BUFFER_REASSEMBLY_GAP 16
#define TRACE_BUFFER_BROKEN_CHAIN 32
#define TRACE_BUFFER_OVERWRITTEN 64
#define TRACE_BUFFER_WRITER_ABORT 128
#define TRACE_BUFFER_SMB_FULL 256

struct trace_buffer_packet {
	const uint8_t *data;	/* valid until the next call for the buffer; NULL: no memory */
	size_t size;
	struct trace_buffer_origin origin;
	uint32_t dropped;	/* mask of causes, 0 = nothing is missing */
	bool is_first;		/* of its sequence; then TRACE_BUFFER_DROPPED alone is no loss */
};

/* Members as in perfetto's TraceStats.BufferStats (E.12) */
struct trace_buffer_stats {
	uint64_t buffer_size, bytes_written, bytes_overwritten, bytes_read;
	uint64_t padding_bytes_written, padding_bytes_cleared;
	uint64_t chunks_written, chunks_rewritten, chunks_relocated, chunks_overwritten;
	uint64_t chunks_discarded, chunks_read, chunks_committed_out_of_order;
	uint64_t write_wrap_count, patches_succeeded, patches_failed;
	uint64_t readaheads_succeeded, readaheads_failed, abi_violations;
	uint64_t trace_writer_packet_loss;
};

/*
 * @size: rounded up to what the buffer needs; memory is touched only as it is used.
 * Return: 0, -EINVAL (0 or more than 4 GiB - 1), -ENOMEM.
 */
int trace_buffer_alloc(struct trace_buffer **out, size_t size, enum trace_buffer_policy policy);
void trace_buffer_free(struct trace_buffer *c);
/*
 * Likewise, in steps of at most a ms. Return: true if steps are left; otherwise @c is freed, or
 * will be with its last copy that is not complete yet.
 */
bool trace_buffer_free_step(struct trace_buffer *c);
/*
 * Makes a copy to read from, which takes no more chunks, in steps: copies the original as it is
 * now. Between steps the original may be used in any way, the copy only be freed. Returns 0,
 * -ENOMEM; a step returns true if steps are left.
 */
int trace_buffer_copy_begin(struct trace_buffer *c, struct trace_buffer **out);
bool trace_buffer_copy_step(struct trace_buffer *copy);
/*
 * Forgets the contents; keeps the statistics. @out: gets the old memory, to be freed, in steps if
 * that must not take long. Copies that are not complete yet go on. Return: 0, -ENOMEM: nothing
 * changed.
 */
int trace_buffer_clear(struct trace_buffer *c, struct trace_buffer **out);

/* Trusts nothing in @chunk: counts impossible values as abi_violations. */
void trace_buffer_put(struct trace_buffer *c, const struct trace_buffer_chunk *chunk);
/* Return: true if the chunk was found and all patches were inside it (PFT-42). */
bool trace_buffer_patch(struct trace_buffer *c, const struct trace_buffer_origin *origin,
			uint32_t chunk_id,
			const struct trace_buffer_patch *patches, size_t nr, bool has_more);

/* Larger packets, and those in more chunks, are dropped on reading. */
#define TRACE_BUFFER_PACKET_MAX (16u * 1024 * 1024)
#define TRACE_BUFFER_PACKET_CHUNKS 65536u

/*
 * Begins a reading pass over what is complete now. A sequence ends at a gap that may still be
 * filled. Chunks may arrive during the pass.
 */
void trace_buffer_read_begin(struct trace_buffer *c);
/*
 * Return: false if this pass has no packet left. A packet of size 0 is none: so much was empty,
 * lost or incomplete that the caller should let others run.
 */
bool trace_buffer_read(struct trace_buffer *c, struct trace_buffer_packet *packet);
/* Drops @packet, the one read last: the next one of its writer reports the loss. */
void trace_buffer_lose(struct trace_buffer *c, const struct trace_buffer_packet *packet);
/* Returns the number of packets dropped as too large since the last call */
uint64_t trace_buffer_too_large(struct trace_buffer *c);
/*
 * Called when @producer has acknowledged a flush, so that all its commits have arrived: chunks
 * missing between those received are lost.
 */
void trace_buffer_settle(struct trace_buffer *c, uint16_t producer);
/*
 * Called when the writer was unregistered, after its last commit; its id may be reused by another
 * one, which begins with chunk 0 (PFT-36).
 */
void trace_buffer_end_writer(struct trace_buffer *c, const struct trace_buffer_origin *origin);
/* No more chunks will arrive: gaps are losses from now on. */
void trace_buffer_finish(struct trace_buffer *c);

const struct trace_buffer_stats *trace_buffer_stats(const struct trace_buffer *c);
/*
 * Returns a row per writer, for statistics; with thousands of writers the oldest rows are gone.
 * @cursor: 0 at first. Return: true if there was one more.
 */
bool trace_buffer_writer(const struct trace_buffer *c, uint32_t *cursor,
			 struct trace_buffer_origin *origin,
			 const uint64_t **counts, const int64_t **sums);

/* Upper bounds of the histogram's classes; the last class is open and not listed. */
#define TRACE_BUFFER_BUCKETS 10
extern const int64_t trace_buffer_buckets[TRACE_BUFFER_BUCKETS];

#endif
