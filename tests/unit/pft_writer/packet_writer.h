/* SPDX-License-Identifier: GPL-2.0 */
/*
 * packet_writer.h - packets of one thread into shared pages (E.4)
 *
 * A packet may be longer than a chunk, and than all chunks together: it goes on in the next one.
 * Nothing is allocated. While there is no free chunk packets are dropped as the policy says; the
 * next one that is not dropped tells it.
 */
#ifndef PFT_WRITER_PACKET_WRITER_H
#define PFT_WRITER_PACKET_WRITER_H

#include "arbiter.h"

#define PACKET_DEPTH_MAX 16

/* A message in the packet, of which the size is not known yet */
struct packet_nest {
	uint32_t chunk_id;		/* where its size stands */
	uint32_t offset;
	uint64_t begin;			/* bytes of the packet before it */
};

struct packet_writer {
	struct arbiter *arbiter;
	enum exhausted policy;
	uint32_t target;
	uint16_t id;
	struct arbiter_chunk chunk;
	uint32_t chunk_id;		/* of the next chunk */
	size_t at;			/* in the payload */
	size_t fragment;		/* offset of the size of what is being written */
	uint16_t packets;
	uint8_t flags;
	uint64_t written;		/* bytes of the packet */
	struct packet_nest nest[PACKET_DEPTH_MAX];
	unsigned int depth;
	bool is_open;			/* between packet_begin() and packet_end() */
	bool is_dropping;		/* there was no chunk */
	bool has_begun;			/* a packet was written */
	uint64_t dropped;		/* packets */
};

/* Return: 0, -EMFILE (no more ids). */
int packet_writer_init(struct packet_writer *w, struct arbiter *a, uint32_t target,
		       enum exhausted policy);
/* Returns the chunk it has; its id may be used again. */
void packet_writer_exit(struct packet_writer *w);
void packet_begin(struct packet_writer *w);
void packet_put(struct packet_writer *w, const void *data, size_t size);
/* A message as field @field of the one at hand, up to packet_close(); PACKET_DEPTH_MAX at once */
void packet_open(struct packet_writer *w, uint32_t field);
void packet_close(struct packet_writer *w);
void packet_end(struct packet_writer *w);
/* Returns the chunk it has, and sends all. Not within a packet. @flush: as arbiter_commit() */
void packet_flush(struct packet_writer *w, uint64_t flush);

#endif
