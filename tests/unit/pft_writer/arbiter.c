// SPDX-License-Identifier: GPL-2.0
/* arbiter.c - a producer's side of the shared pages */
#include "arbiter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "partition.h"

/* Messages stay below the longest frame: so many moves, patches and bytes of chunks in one */
#define MOVES_MAX 512
#define PATCHES_MAX 1024
#define BYTES_MAX (64u * 1024)

/* One message being put together */
struct request {
	Pft__CommitDataRequest message;
	Pft__CommitDataRequest__ChunksToMove moves[MOVES_MAX], *move_list[MOVES_MAX];
	Pft__CommitDataRequest__ChunkToPatch patches[PATCHES_MAX], *patch_list[PATCHES_MAX];
	Pft__CommitDataRequest__ChunkToPatch__Patch data[PATCHES_MAX], *data_list[PATCHES_MAX];
	size_t bytes;
};

int arbiter_init(struct arbiter *a, const struct arbiter_config *config)
{
	if (!shmem_layout_chunks(config->layout) || !config->page_size ||
	    config->size < config->page_size || config->size % config->page_size)
		return -EINVAL;
	memset(a, 0, sizeof(*a));
	a->config = *config;
	a->page_nr = (uint32_t)(config->size / config->page_size);
	a->next_writer = 1;
	return -pthread_mutex_init(&a->lock, NULL);
}

void arbiter_exit(struct arbiter *a)
{
	free(a->moves);
	free(a->patches);
	pthread_mutex_destroy(&a->lock);
}

uint16_t arbiter_writer(struct arbiter *a)
{
	uint32_t id = 0;

	pthread_mutex_lock(&a->lock);
	for (uint32_t i = 0; i < ARBITER_WRITERS_MAX && !id; i++) {
		if (!a->writers[a->next_writer])
			id = a->next_writer;
		a->next_writer = a->next_writer % ARBITER_WRITERS_MAX + 1;
	}
	a->writers[id] = 1;
	pthread_mutex_unlock(&a->lock);
	return (uint16_t)id;
}

void arbiter_writer_end(struct arbiter *a, uint16_t writer)
{
	pthread_mutex_lock(&a->lock);
	a->writers[writer] = 0;
	pthread_mutex_unlock(&a->lock);
}

static uint8_t *page_of(const struct arbiter *a, uint32_t page)
{
	return a->config.memory + page * a->config.page_size;
}

/* Return: whether a chunk of this page was free. */
static bool acquire_in(struct arbiter *a, uint32_t page, struct arbiter_chunk *chunk)
{
	uint8_t *at = page_of(a, page);
	uint32_t word = shmem_page_word(at);

	if (!word) {
		shmem_page_partition(at, a->config.layout);
		word = shmem_page_word(at);
	}
	for (uint32_t i = 0; i < shmem_layout_chunks(shmem_word_layout(word)); i++) {
		if (shmem_word_state(word, i) != SHMEM_FREE)
			continue;
		word = shmem_page_move(at, i, SHMEM_FREE, SHMEM_WRITING);
		if (!word)
			return false;
		chunk->size = shmem_layout_size(shmem_word_layout(word), a->config.page_size);
		chunk->begin = at + SHMEM_PAGE_HEADER + i * chunk->size;
		chunk->page = page;
		chunk->index = i;
		return true;
	}
	return false;
}

static bool acquire(struct arbiter *a, struct arbiter_chunk *chunk)
{
	for (uint32_t i = 0; i < a->page_nr; i++) {
		if (acquire_in(a, a->next_page, chunk))
			return true;
		a->next_page = (a->next_page + 1) % a->page_nr;
	}
	return false;
}

static void commit_locked(struct arbiter *a, uint64_t flush);

bool arbiter_acquire(struct arbiter *a, const struct shmem_header *header, enum exhausted policy,
		     struct arbiter_chunk *chunk)
{
	unsigned int us = 0;
	bool found;

	for (int stalls = 0;; stalls++) {
		pthread_mutex_lock(&a->lock);
		/* A writer must not wait for what only it can send (PFT-32). */
		if (a->pending_bytes >= a->config.size / 2)
			commit_locked(a, 0);
		found = acquire(a, chunk);
		if (!found)
			commit_locked(a, 0);
		pthread_mutex_unlock(&a->lock);
		if (found || policy == EXHAUSTED_DROP)
			break;
		if (stalls == ARBITER_STALLS_MAX && policy == EXHAUSTED_STALL_THEN_ABORT)
			abort();
		if (stalls == ARBITER_STALLS_MAX)
			break;
		a->config.wait(a->config.context, us);
		us = us * 8 + 8 < ARBITER_STALL_MAX_US ? us * 8 + 8 : ARBITER_STALL_MAX_US;
	}
	if (found)
		shmem_header_write(chunk->begin, header);
	return found;
}

/* Return: whether there is room for one more. */
static bool make_room(void **list, size_t nr, size_t *room, size_t size)
{
	const size_t next = *room ? 2 * *room : 64;
	void *longer;

	if (nr < *room)
		return true;
	longer = realloc(*list, next * size);
	if (!longer)
		return false;
	*list = longer;
	*room = next;
	return true;
}

static void free_chunk(struct arbiter *a, const struct arbiter_chunk *chunk)
{
	uint8_t *page = page_of(a, chunk->page);

	shmem_header_write(chunk->begin, &(struct shmem_header){ 0 });
	shmem_page_move(page, chunk->index, SHMEM_WRITING, SHMEM_COMPLETE);
	shmem_page_move(page, chunk->index, SHMEM_COMPLETE, SHMEM_FREE);
}

void arbiter_return(struct arbiter *a, uint32_t target, const struct arbiter_chunk *chunk)
{
	pthread_mutex_lock(&a->lock);
	if (make_room((void **)&a->moves, a->move_nr, &a->move_room, sizeof(*a->moves))) {
		a->moves[a->move_nr++] = (struct pending_move){ *chunk, target };
		a->pending_bytes += chunk->size;
	} else {
		free_chunk(a, chunk);
		a->lost++;
	}
	if (!a->config.is_batched || a->pending_bytes >= a->config.size / 2)
		commit_locked(a, 0);
	pthread_mutex_unlock(&a->lock);
}

/* The chunk, if it was not sent yet */
static struct pending_move *find_pending(struct arbiter *a, uint16_t writer, uint32_t chunk_id)
{
	for (size_t i = a->move_nr; i-- > 0;) {
		struct shmem_header header;

		shmem_header_read(a->moves[i].chunk.begin, &header);
		if (header.writer == writer && header.id == chunk_id)
			return &a->moves[i];
	}
	return NULL;
}

static void patch_pending(struct pending_move *move, const struct arbiter_patch *patch)
{
	struct shmem_header header;

	memcpy(move->chunk.begin + SHMEM_CHUNK_HEADER + patch->offset, patch->data,
	       sizeof(patch->data));
	if (patch->has_more)
		return;
	shmem_header_read(move->chunk.begin, &header);
	shmem_header_packets(move->chunk.begin, header.packets,
			     header.flags & (uint8_t)~SHMEM_NEEDS_PATCHING);
}

void arbiter_patch(struct arbiter *a, uint32_t target, uint16_t writer,
		   const struct arbiter_patch *patch)
{
	struct pending_move *move;

	pthread_mutex_lock(&a->lock);
	move = find_pending(a, writer, patch->chunk_id);
	if (move)
		patch_pending(move, patch);
	else if (make_room((void **)&a->patches, a->patch_nr, &a->patch_room, sizeof(*a->patches)))
		a->patches[a->patch_nr++] = (struct pending_patch){ target, writer, *patch };
	else
		a->lost++;
	if (!a->config.is_batched)
		commit_locked(a, 0);
	pthread_mutex_unlock(&a->lock);
}

static void send_request(struct arbiter *a, struct request *r, uint64_t flush)
{
	r->message.has_flush_request_id = flush != 0;
	r->message.flush_request_id = flush;
	if (r->message.n_chunks_to_move || r->message.n_chunks_to_patch || flush)
		a->config.send(a->config.context, &r->message);
	for (size_t i = 0; a->config.is_emulated && i < r->message.n_chunks_to_move; i++) {
		shmem_header_write(r->moves[i].data.data, &(struct shmem_header){ 0 });
		shmem_page_move(page_of(a, r->moves[i].page), r->moves[i].chunk, SHMEM_COMPLETE,
				SHMEM_FREE);
	}
	r->message.n_chunks_to_move = r->message.n_chunks_to_patch = 0;
	r->bytes = 0;
}

static void add_move(struct arbiter *a, struct request *r, const struct pending_move *from,
		     uint32_t target)
{
	const struct arbiter_chunk *chunk = &from->chunk;
	Pft__CommitDataRequest__ChunksToMove *to;

	if (r->message.n_chunks_to_move == MOVES_MAX || r->bytes >= BYTES_MAX)
		send_request(a, r, 0);
	to = r->move_list[r->message.n_chunks_to_move] = &r->moves[r->message.n_chunks_to_move];
	r->message.n_chunks_to_move++;
	pft__commit_data_request__chunks_to_move__init(to);
	to->has_page = to->has_chunk = to->has_target_buffer = true;
	to->page = chunk->page;
	to->chunk = chunk->index;
	to->target_buffer = target;
	shmem_page_move(page_of(a, chunk->page), chunk->index, SHMEM_WRITING, SHMEM_COMPLETE);
	if (a->config.is_emulated) {
		to->has_data = true;
		to->data = (ProtobufCBinaryData){ chunk->size, chunk->begin };
		r->bytes += chunk->size;
	}
}

static void add_patch(struct arbiter *a, struct request *r, struct pending_patch *from,
		      uint32_t target)
{
	const size_t i = r->message.n_chunks_to_patch == PATCHES_MAX ? 0 :
			 r->message.n_chunks_to_patch;
	Pft__CommitDataRequest__ChunkToPatch *to = &r->patches[i];
	Pft__CommitDataRequest__ChunkToPatch__Patch *data = &r->data[i];

	if (r->message.n_chunks_to_patch == PATCHES_MAX)
		send_request(a, r, 0);
	pft__commit_data_request__chunk_to_patch__init(to);
	pft__commit_data_request__chunk_to_patch__patch__init(data);
	r->patch_list[i] = to;
	r->data_list[i] = data;
	r->message.n_chunks_to_patch = i + 1;
	to->has_target_buffer = to->has_writer_id = to->has_chunk_id = true;
	to->target_buffer = target;
	to->writer_id = from->writer;
	to->chunk_id = from->patch.chunk_id;
	to->n_patches = 1;
	to->patches = &r->data_list[i];
	to->has_has_more_patches = true;
	to->has_more_patches = from->patch.has_more;
	data->has_offset = data->has_data = true;
	data->offset = from->patch.offset;
	data->data = (ProtobufCBinaryData){ sizeof(from->patch.data), from->patch.data };
}

enum target_state {
	TARGET_KNOWN,
	TARGET_OPEN,
	TARGET_NONE,
};

static enum target_state resolve(const struct arbiter *a, uint32_t *target)
{
	const uint32_t i = *target - ARBITER_RESERVED;

	if (*target < ARBITER_RESERVED)
		return TARGET_KNOWN;
	if (i >= ARBITER_RESERVATIONS || a->is_aborted[i])
		return TARGET_NONE;
	if (!a->bound[i])
		return TARGET_OPEN;
	*target = a->bound[i] - 1;
	return TARGET_KNOWN;
}

/* What waits for its target stays, in its order. */
static void add_moves(struct arbiter *a, struct request *r)
{
	size_t kept = 0;

	a->pending_bytes = 0;
	for (size_t i = 0; i < a->move_nr; i++) {
		struct pending_move *move = &a->moves[i];
		uint32_t target = move->target;

		switch (resolve(a, &target)) {
		case TARGET_KNOWN:
			add_move(a, r, move, target);
			break;
		case TARGET_NONE:
			free_chunk(a, &move->chunk);
			break;
		case TARGET_OPEN:
			a->moves[kept++] = *move;
			a->pending_bytes += move->chunk.size;
		}
	}
	a->move_nr = kept;
}

static void add_patches(struct arbiter *a, struct request *r)
{
	for (size_t i = 0; i < a->patch_nr; i++) {
		uint32_t target = a->patches[i].target;

		/* Its chunk was sent: the target is known, or it was aborted with its chunk. */
		if (resolve(a, &target) == TARGET_KNOWN)
			add_patch(a, r, &a->patches[i], target);
	}
}

static void commit_locked(struct arbiter *a, uint64_t flush)
{
	static const Pft__CommitDataRequest empty = PFT__COMMIT_DATA_REQUEST__INIT;
	struct request *r;

	if (!a->config.send || (!a->move_nr && !a->patch_nr && !flush))
		return;
	r = malloc(sizeof(*r));
	if (!r)
		return;
	r->message = empty;
	r->message.chunks_to_move = r->move_list;
	r->message.chunks_to_patch = r->patch_list;
	r->bytes = 0;
	add_moves(a, r);
	add_patches(a, r);
	send_request(a, r, flush);
	a->patch_nr = 0;
	free(r);
}

void arbiter_commit(struct arbiter *a, uint64_t flush)
{
	pthread_mutex_lock(&a->lock);
	commit_locked(a, flush);
	pthread_mutex_unlock(&a->lock);
}

void arbiter_bind(struct arbiter *a, uint32_t reserved, uint32_t target)
{
	pthread_mutex_lock(&a->lock);
	a->bound[(reserved - ARBITER_RESERVED) % ARBITER_RESERVATIONS] = target + 1;
	commit_locked(a, 0);
	pthread_mutex_unlock(&a->lock);
}

void arbiter_abort(struct arbiter *a, uint32_t reserved)
{
	pthread_mutex_lock(&a->lock);
	a->is_aborted[(reserved - ARBITER_RESERVED) % ARBITER_RESERVATIONS] = true;
	commit_locked(a, 0);
	pthread_mutex_unlock(&a->lock);
}
