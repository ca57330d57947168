// SPDX-License-Identifier: GPL-2.0
/*
 * trace_buffer_copy.c - copies a buffer: small members at once, the memory block by block
 *
 * The original stays in use. A block of it that is about to change, and is not copied yet, is
 * copied first (trace_buffer_saves()), so the copy shows the original as it was at the beginning.
 */
#include "trace_buffer_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (64u * 1024)

/* Returns the number of blocks. */
static size_t block_nr(const struct trace_buffer *c)
{
	return (c->used + BLOCK - 1) / BLOCK;
}

static void copy_block(struct trace_buffer *copy, size_t i)
{
	const size_t off = i * BLOCK;
	const size_t size = copy->used - off < BLOCK ? copy->used - off : BLOCK;

	if (copy->has_block[i])
		return;
	memcpy(copy->memory + off, copy->original->memory + off, size);
	copy->has_block[i] = true;
}

void trace_buffer_save_for(struct trace_buffer *c, size_t off, size_t size)
{
	struct trace_buffer *copy;

	LIST_FOREACH(copy, &c->copies, copy_link)
		for (size_t i = off / BLOCK; i * BLOCK < off + size && i < block_nr(copy); i++)
			copy_block(copy, i);
}

bool trace_buffer_copy_end(struct trace_buffer *copy)
{
	struct trace_buffer *original = copy->original;

	if (!original)
		return false;
	if (copy->has_block) {
		LIST_REMOVE(copy, copy_link);
		free(copy->has_block);
		copy->has_block = NULL;
	}
	if (original->is_unwanted && LIST_EMPTY(&original->copies) &&
	    trace_buffer_free_step(original))
		return true;
	copy->original = NULL;
	return false;
}

bool trace_buffer_copy_step(struct trace_buffer *copy)
{
	if (!copy->original)
		return false;
	if (copy->copied_nr < block_nr(copy)) {
		copy_block(copy, copy->copied_nr++);
		return true;
	}
	return trace_buffer_copy_end(copy);
}

void trace_buffer_copy_from(struct trace_buffer *c, struct trace_buffer *old)
{
	struct trace_buffer *copy;

	while ((copy = LIST_FIRST(&c->copies))) {
		LIST_REMOVE(copy, copy_link);
		LIST_INSERT_HEAD(&old->copies, copy, copy_link);
		copy->original = old;
	}
}

int trace_buffer_copy_begin(struct trace_buffer *c, struct trace_buffer **out)
{
	struct trace_buffer *copy;
	int r = trace_buffer_alloc(&copy, c->size, c->policy);

	if (r)
		return r;
	copy->has_block = calloc(block_nr(c) + 1, sizeof(*copy->has_block));
	r = copy->has_block ? sequences_copy(&copy->sequences, &c->sequences) : -ENOMEM;
	if (r) {
		free(copy->has_block);
		copy->has_block = NULL;
		trace_buffer_free(copy);
		return r;
	}
	copy->used = c->used;
	copy->tail = c->tail;
	copy->stats = c->stats;
	copy->unread = c->unread;
	copy->pass = c->pass;
	copy->is_clone = copy->is_finished = true;
	copy->original = c;
	LIST_INSERT_HEAD(&c->copies, copy, copy_link);
	*out = copy;
	return 0;
}
