// SPDX-License-Identifier: GPL-2.0
/* commit.c - moves a producer's chunks and patches into buffers */
#include "commit.h"

#include <stdlib.h>
#include <string.h>

#include "flush.h"
#include "service/buffer/trace_buffer.h"

#define PATCH_MAX 1024

struct trace_buffer_origin commit_origin(const struct producer *p, uint16_t writer)
{
	return (struct trace_buffer_origin) {
		.producer = p->id, .writer = writer,
		.uid = p->peer->cred.uid, .pid = p->peer->cred.pid,
	};
}

static void put(struct producer *p, struct buffer *b, const struct shmem_chunk *chunk)
{
	const struct trace_buffer_chunk put = {
		.origin = commit_origin(p, chunk->writer), .id = chunk->id,
		.packets = chunk->packets, .flags = chunk->flags, .is_complete = chunk->is_complete,
		.payload = chunk->payload, .size = chunk->size,
	};

	trace_buffer_put(b->trace, &put);
}

/* Buffers of a stopped session no longer change (PFT-11). */
static bool is_frozen(const struct session *session)
{
	return session->state >= SESSION_DISABLED;
}

/* Moves a chunk into a buffer that this producer may write to and its writer belongs to. */
static void move(struct producer *p, const Pft__CommitDataRequest__ChunksToMove *move,
		 struct shmem_chunk *chunk)
{
	struct service *s = p->service;
	struct buffer *b = service_buffer(s, move->target_buffer);
	uint16_t registered;

	if (move->has_data) {
		if (shmem_parse(move->data.data, move->data.len, chunk)) {
			s->chunks_discarded++;
			return;
		}
		chunk->is_complete = !move->chunk_incomplete;
	} else if (!p->has_smb || shmem_take(&p->smb, move->page, move->chunk, chunk)) {
		s->chunks_discarded++;
		return;
	}
	registered = producer_writer(p, chunk->writer);
	if (!b || !producer_may_write(p, b->id) || (registered && registered != b->id)) {
		s->chunks_discarded++;
		return;
	}
	if (is_frozen(b->session)) {
		s->chunks_discarded++;
		return;
	}
	put(p, b, chunk);
}

static bool read_patches(const Pft__CommitDataRequest__ChunkToPatch *from,
			 struct trace_buffer_patch *patches)
{
	for (size_t i = 0; i < from->n_patches; i++) {
		const Pft__CommitDataRequest__ChunkToPatch__Patch *patch = from->patches[i];

		if (patch->data.len != sizeof(patches[i].data))
			return false;
		patches[i].offset = patch->offset;
		memcpy(patches[i].data, patch->data.data, sizeof(patches[i].data));
	}
	return true;
}

static void patch(struct producer *p, const Pft__CommitDataRequest__ChunkToPatch *from)
{
	static struct trace_buffer_patch patches[PATCH_MAX];
	struct service *s = p->service;
	struct buffer *b = service_buffer(s, from->target_buffer);
	struct trace_buffer_origin writer = commit_origin(p, (uint16_t)from->writer_id);

	if (!b || !from->writer_id || from->writer_id > PRODUCER_WRITER_MAX ||
	    from->n_patches > PATCH_MAX || !producer_may_write(p, b->id) ||
	    is_frozen(b->session) || !read_patches(from, patches)) {
		s->patches_discarded += from->n_patches;
		return;
	}
	trace_buffer_patch(b->trace, &writer, from->chunk_id, patches, from->n_patches,
			   from->has_more_patches);
}

/*
 * Settles the buffers after a flush that was asked for: no chunk between those received is still
 * on its way. Goes through all writers.
 */
static void settle(struct producer *p)
{
	for (uint32_t id = 1; id <= SERVICE_BUFFER_MAX; id++)
		if (p->service->buffers[id] && producer_may_write(p, (uint16_t)id))
			trace_buffer_settle(p->service->buffers[id]->trace, p->id);
}

void commit(struct producer *p, const Pft__CommitDataRequest *request)
{
	/* Static, as a single thread makes one copy at a time. */
	static struct shmem_chunk chunk;

	for (size_t i = 0; i < request->n_chunks_to_move; i++)
		move(p, request->chunks_to_move[i], &chunk);
	for (size_t i = 0; i < request->n_chunks_to_patch; i++)
		patch(p, request->chunks_to_patch[i]);
	if (request->flush_request_id && flush_acknowledge(p, request->flush_request_id))
		settle(p);
}

/* True if @p may have written for @session, so that scraping is worthwhile */
static bool may_have(const struct session *session, const struct producer *p)
{
	if (is_frozen(session) || !p->is_scraped || !p->has_smb || !p->writers)
		return false;
	for (size_t i = 0; i < session->buffer_nr; i++)
		if (producer_may_write(p, session->buffers[i].id))
			return true;
	return false;
}

/* @only: scrape for this session; NULL: for all sessions */
static void scrape(struct producer *p, const struct session *only)
{
	static struct shmem_chunk chunk;
	uint32_t cursor = 0;

	while (shmem_scrape(&p->smb, &cursor, &chunk)) {
		struct buffer *b = service_buffer(p->service, producer_writer(p, chunk.writer));

		if (b && (!only || b->session == only) && !is_frozen(b->session) &&
		    producer_may_write(p, b->id))
			put(p, b, &chunk);
	}
}

void commit_scrape(const struct session *session, struct producer *p)
{
	if (may_have(session, p))
		scrape(p, session);
}

void commit_scrape_all(struct producer *p)
{
	const struct session *session;
	bool is_worth_it = false;

	TAILQ_FOREACH(session, &p->service->sessions, link)
		is_worth_it |= may_have(session, p);
	TAILQ_FOREACH(session, &p->service->ending, link)
		is_worth_it |= may_have(session, p);
	if (is_worth_it)
		scrape(p, NULL);
}
