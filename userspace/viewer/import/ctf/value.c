// SPDX-License-Identifier: GPL-2.0
/* value.c - classes and values of the fields of a CTF event */
#include "value.h"

#include <stdlib.h>
#include <string.h>

#include "import/import_writer.h"

#define LABELS_MAX 1024u
#define CHUNK 16384u

/* struct ctf_arena_chunk - some memory; @size and @used do not include this header */
struct ctf_arena_chunk {
	struct ctf_arena_chunk *next;
	size_t size;
	size_t used;
	char data[] __attribute__((aligned(16)));
};

struct ctf_class *ctf_class_new(struct ctf_class **pool, enum ctf_kind kind)
{
	struct ctf_class *class = calloc(1, sizeof(*class));

	if (!class)
		return NULL;
	class->kind = kind;
	class->next = *pool;
	*pool = class;
	return class;
}

bool ctf_class_members(struct ctf_class *class, size_t nr)
{
	if (nr > 0xffffffffu)
		return false;
	class->members = calloc(nr ? nr : 1, sizeof(*class->members));
	class->member_nr = class->members ? (__u32)nr : 0;
	return class->members;
}

static void free_class(struct ctf_class *class)
{
	for (__u32 i = 0; i < class->member_nr; i++) {
		free(class->members[i].name);
		free(class->members[i].key);
		free(class->members[i].ranges.at);
	}
	for (__u32 i = 0; i < class->flag_nr; i++)
		free(class->flags[i].name);
	free(class->flags);
	free(class->members);
	free(class->labels);
	free(class->layout);
	free(class);
}

void ctf_class_free(struct ctf_class *pool)
{
	struct ctf_class *next;

	for (; pool; pool = next) {
		next = pool->next;
		free_class(pool);
	}
}

void ctf_label_put(struct ktrace_out *out, __u32 *nr, const char *name, struct ctf_range range)
{
	const __u64 last = (__u64)range.high - (__u64)range.low;

	for (__u64 i = 0; i <= last && i < CTF_RANGE_MAX && *nr < LABELS_MAX; i++) {
		if ((*nr)++)
			ktrace_out_char(out, ',');
		import_writer_name(out, name);
		ktrace_out_char(out, '=');
		ktrace_out_s64(out, (__s64)((__u64)range.low + i));
	}
}

const struct ctf_value *ctf_member_of(const struct ctf_value *value, const char *name)
{
	if (!value || !value->class || value->class->kind != CTF_STRUCT)
		return NULL;
	for (__u64 i = 0; i < value->nr; i++)
		if (value->items[i].class && !strcmp(value->class->members[i].name, name))
			return &value->items[i];
	return NULL;
}

bool ctf_number(const struct ctf_value *value, __s64 *number)
{
	if (!value || value->class->kind > CTF_BITS)
		return false;
	*number = (__s64)value->number;
	return true;
}

const char *ctf_text(const struct ctf_value *value)
{
	return value && value->class->kind == CTF_TEXT ? value->text : NULL;
}

static struct ctf_arena_chunk *add_chunk(struct ctf_arena *arena, size_t size)
{
	struct ctf_arena_chunk *chunk;

	if (arena->total + size > CTF_ARENA_MAX)
		return NULL;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	arena->total += size;
	chunk->size = size;
	chunk->used = 0;
	chunk->next = arena->now ? arena->now->next : NULL;
	*(arena->now ? &arena->now->next : &arena->first) = chunk;
	arena->now = chunk;
	return chunk;
}

void *ctf_arena_get(struct ctf_arena *arena, size_t size)
{
	struct ctf_arena_chunk *chunk = arena->now;
	void *data;

	if (size > CTF_ARENA_MAX)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	while (chunk && chunk->size - chunk->used < size && chunk->next) {
		chunk = chunk->next;
		arena->now = chunk;
	}
	if (!chunk || chunk->size - chunk->used < size)
		chunk = add_chunk(arena, size > CHUNK ? size : CHUNK);
	if (!chunk)
		return NULL;
	data = chunk->data + chunk->used;
	chunk->used += size;
	return data;
}

void ctf_arena_reset(struct ctf_arena *arena)
{
	for (struct ctf_arena_chunk *chunk = arena->first; chunk; chunk = chunk->next)
		chunk->used = 0;
	arena->now = arena->first;
}

void ctf_arena_free(struct ctf_arena *arena)
{
	struct ctf_arena_chunk *next;

	for (struct ctf_arena_chunk *chunk = arena->first; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*arena = (struct ctf_arena){ 0 };
}
