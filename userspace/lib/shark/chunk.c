// SPDX-License-Identifier: LGPL-2.1
/*
 * chunk.c - chunks of a program: their memory, and calls of the core
 *
 * The core has the lock and the rules; its -errno becomes -1 here. Memory comes from the C library,
 * and is freed only after the core has dropped it.
 */
#include "tracer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/shark.h>

#include "content.h"

/* struct table - the result of FTrace_get_chunk_table() for a thread */
struct table {
	FTrace_Chunk_Ptr row[KTRACE_SHARK_CHUNK_NR];
	struct FTrace_Chunk chunk[KTRACE_SHARK_CHUNK_NR];
};

static pthread_key_t table_key;
static pthread_once_t has_key = PTHREAD_ONCE_INIT;
static int key_error;

int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags)
{
	void *memory;
	int n;

	if (kt_shark_check_create(normal_size, emergency_size, flags))
		return -1;
	memory = calloc(1, (size_t)normal_size + (size_t)emergency_size);
	if (!memory)
		return -1;
	n = kt_shark_create(shark_make(), memory, normal_size, emergency_size, flags);
	if (n >= 0)
		return n;
	free(memory);
	return -1;
}

int FTrace_chunk_delete(int n)
{
	struct kt_shark *t = shark_tracer();
	void *memory;

	if (!t || kt_shark_delete(t, n, &memory))
		return -1;
	free(memory);
	return 0;
}

int FTrace_set_chunk_flags(int n, FTrace_flags flags)
{
	struct kt_shark *t = shark_tracer();

	return t && !kt_shark_set_flags(t, n, flags) ? 0 : -1;
}

int FTrace_get_chunk_flags(int n, FTrace_flags *flags)
{
	struct kt_shark *t = shark_tracer();

	return t && !kt_shark_get_flags(t, n, flags) ? 0 : -1;
}

int FTrace_actual_chunk_select(int n)
{
	struct kt_shark *t = shark_tracer();

	return t && !kt_shark_select(t, n) ? 0 : -1;
}

int FTrace_chunk_link(int a, int b)
{
	struct kt_shark *t = shark_tracer();

	return t && !kt_shark_link(t, a, b) ? 0 : -1;
}

int FTrace_get_first_chunk(FTrace_flags flags)
{
	struct kt_shark *t = shark_tracer();
	int n = t ? kt_shark_first(t, flags) : -1;

	return n < 0 ? -1 : n;
}

static void make_key(void)
{
	key_error = pthread_key_create(&table_key, free);
}

static struct table *own_table(void)
{
	struct table *table;

	pthread_once(&has_key, make_key);
	if (key_error)
		return NULL;
	table = pthread_getspecific(table_key);
	if (table)
		return table;
	table = calloc(1, sizeof(*table));
	if (table && pthread_setspecific(table_key, table)) {
		free(table);
		return NULL;
	}
	return table;
}

FTrace_Chunk_Ptr *FTrace_get_chunk_table(void)
{
	struct kt_shark *t = shark_tracer();
	struct table *table = own_table();

	if (!table)
		return NULL;
	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++) {
		const bool is_there = t && !kt_shark_status(t, n, &table->chunk[n]);

		table->row[n] = is_there ? &table->chunk[n] : NULL;
	}
	return table->row;
}

static int compress(struct kt_shark *t, int n, const struct kt_shark_view *view)
{
	struct content events;
	void *memory, *before;
	size_t bytes;
	int error = content_copy(&events, view);

	if (error)
		return error;
	error = content_compress(&events, &memory, &bytes);
	content_free(&events);
	if (error)
		return error;
	before = kt_shark_replace(t, n, memory, bytes);
	free(before ? before : memory);
	return before ? 0 : -EDEADLK;
}

int FTrace_compress_chunk(int n, FTrace_flags new_flags)
{
	struct kt_shark *t = shark_tracer();
	struct kt_shark_view view;

	if (!t || kt_shark_check_flags(new_flags) || kt_shark_hold(t, n, &view))
		return -1;
	if (view.status.flags & FTRACE_CHUNK_FLAG_COMPR || compress(t, n, &view)) {
		kt_shark_restore(t, n);
		return -1;
	}
	kt_shark_release(t, n, new_flags);
	return 0;
}

int FTrace_chunk_read(int n, struct ktrace_shark_event *events, int max)
{
	struct kt_shark *t = shark_tracer();
	struct kt_shark_view view;
	struct content content;
	size_t bytes;
	int error;

	if (!t || max < 0 || kt_shark_hold(t, n, &view))
		return -1;
	error = content_events(&content, &view);
	kt_shark_restore(t, n);
	if (error)
		return -1;
	bytes = (size_t)max * sizeof(*events);
	if (bytes > content.bytes)
		bytes = content.bytes;
	if (bytes)
		memcpy(events, content.data, bytes);
	bytes = content.bytes;
	content_free(&content);
	return (int)(bytes / sizeof(*events));
}

void FTrace_chunk_dump(int n)
{
	struct kt_shark *t = shark_tracer();
	struct FTrace_Chunk c;

	if (!t || kt_shark_status(t, n, &c))
		return;
	fprintf(stderr, "chunk %d: id 0x%X flags 0x%02X size %u emergency %u selected %u next %d "
		"first %u events %u emergency events %u bytes %llu lost", n, c.id, c.flags, c.size,
		c.emergency_size, c.is_selected, c.next, c.first, c.events, c.emergency_events,
		(unsigned long long)c.bytes);
	for (int i = 0; i < KTRACE_SHARK_LOST_NR; i++)
		fprintf(stderr, " %llu", (unsigned long long)c.lost[i]);
	fputc('\n', stderr);
}
