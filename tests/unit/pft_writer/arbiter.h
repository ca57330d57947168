/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arbiter.h - a producer's side of the shared pages: who gets which chunk, what is committed when
 *
 * One for each producer; its writers (packet_writer.h) may be in many threads. Chunks that are
 * full are gathered and told to the service in one message: at once, after a period, or when
 * they are half of the memory (PFT-33). A chunk that is gathered still belongs to the producer, so
 * sizes can be written into it; what comes later is a patch of the message (PFT-34).
 */
#ifndef PFT_WRITER_ARBITER_H
#define PFT_WRITER_ARBITER_H

#include "service/buffer/shmem_page.h"

#include "service.pb-c.h"

#include <pthread.h>

/* What a writer does when there is no free chunk (PFT-31) */
enum exhausted {
	EXHAUSTED_DROP,
	EXHAUSTED_STALL_THEN_ABORT,
	EXHAUSTED_STALL_THEN_DROP,
};

#define ARBITER_STALLS_MAX 300
#define ARBITER_STALL_MAX_US 100000u
#define ARBITER_WRITERS_MAX 32767u
/* Targets from here on are not known yet: packets from before there is a connection (PFT-37) */
#define ARBITER_RESERVED 0x10000u
#define ARBITER_RESERVATIONS 16u

struct arbiter_config {
	uint8_t *memory;		/* pages, all of them free */
	size_t size;
	size_t page_size;
	enum shmem_layout layout;		/* of pages that are partitioned from now on */
	bool is_emulated;		/* the service does not see the memory (PFT-23) */
	bool is_batched;		/* arbiter_commit() is called from time to time */
	/* Takes the message over before it returns. It may be called by any writer. */
	void (*send)(void *context, const Pft__CommitDataRequest *request);
	/* Waits; lets the service get on. */
	void (*wait)(void *context, unsigned int us);
	void *context;
};

struct arbiter_chunk {
	uint8_t *begin;			/* NULL: none */
	size_t size;
	uint32_t page;
	uint32_t index;
};

struct arbiter_patch {
	uint32_t chunk_id;
	uint32_t offset;		/* in the payload */
	uint8_t data[4];
	bool has_more;
};

struct pending_move {
	struct arbiter_chunk chunk;
	uint32_t target;
};

struct pending_patch {
	uint32_t target;
	uint16_t writer;
	struct arbiter_patch patch;
};

struct arbiter {
	struct arbiter_config config;
	pthread_mutex_t lock;		/* of all below */
	uint32_t page_nr;
	uint32_t next_page;
	struct pending_move *moves;
	size_t move_nr;
	size_t move_room;
	struct pending_patch *patches;
	size_t patch_nr;
	size_t patch_room;
	size_t pending_bytes;
	uint8_t writers[ARBITER_WRITERS_MAX + 1];	/* in use, by id */
	uint32_t next_writer;
	uint32_t bound[ARBITER_RESERVATIONS];	/* target + 1; 0: not yet */
	bool is_aborted[ARBITER_RESERVATIONS];
	uint64_t lost;			/* chunks and patches for which there was no memory */
};

/* Return: 0, -EINVAL (sizes, layout). */
int arbiter_init(struct arbiter *a, const struct arbiter_config *config);
void arbiter_exit(struct arbiter *a);
/* Return: an id that has not been used for as long as possible, or 0: all are in use. */
uint16_t arbiter_writer(struct arbiter *a);
void arbiter_writer_end(struct arbiter *a, uint16_t writer);

/* A chunk to write, with this header. Return: whether there was one. */
bool arbiter_acquire(struct arbiter *a, const struct shmem_header *header, enum exhausted policy,
		     struct arbiter_chunk *chunk);
/* A chunk that is full, or that its writer wants to be read */
void arbiter_return(struct arbiter *a, uint32_t target, const struct arbiter_chunk *chunk);
/* Four bytes in a chunk that was returned: into it, if it was not sent yet */
void arbiter_patch(struct arbiter *a, uint32_t target, uint16_t writer,
		   const struct arbiter_patch *patch);
/* Sends what is gathered. @flush: id that the service wants to see acknowledged, 0: none */
void arbiter_commit(struct arbiter *a, uint64_t flush);

/* What was written for @reserved (from ARBITER_RESERVED on) goes to @target. */
void arbiter_bind(struct arbiter *a, uint32_t reserved, uint32_t target);
/* It goes nowhere. */
void arbiter_abort(struct arbiter *a, uint32_t reserved);

#endif
