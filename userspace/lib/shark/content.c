// SPDX-License-Identifier: LGPL-2.1
/*
 * content.c - the content of a chunk, in one piece of memory that can be passed on
 *
 * The memory is a memfd where possible, so that it can be passed to another process.
 */
#include "content.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <zstd.h>

#include "base/file_limit.h"

#define SLOT sizeof(struct ktrace_shark_event)

/* Closes the descriptor. Not a cancellation point, because the chunk may be BUSY. */
static void close_memory(struct content *c)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (c->fd >= 0)
		close(c->fd);
	pthread_setcancelstate(state, NULL);
	c->fd = -1;
}

/* Allocates @bytes; an empty content has a descriptor, but no memory. Return: 0, -ENOMEM. */
static int content_alloc(struct content *c, size_t bytes)
{
	*c = (struct content) { NULL, bytes, -1 };
	c->fd = may_have_file_of(bytes) ? memfd_create("ktrace-shark", MFD_CLOEXEC) : -1;
	if (c->fd >= 0 && ftruncate(c->fd, (off_t)bytes))
		close_memory(c);
	if (!bytes)
		return 0;
	c->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       c->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, c->fd, 0);
	if (c->data != MAP_FAILED)
		return 0;
	c->data = NULL;
	content_free(c);
	return -ENOMEM;
}

void content_free(struct content *c)
{
	if (c->data)
		munmap(c->data, c->bytes);
	close_memory(c);
	*c = (struct content) { NULL, 0, -1 };
}

int content_copy(struct content *to, const struct kt_shark_view *view)
{
	const struct FTrace_Chunk *s = &view->status;
	const size_t normal_nr = s->size / SLOT;
	const size_t room = normal_nr - s->first, until_end = s->events < room ? s->events : room;
	struct ktrace_shark_event *at;
	int error;

	if (s->flags & FTRACE_CHUNK_FLAG_COMPR) {
		error = content_alloc(to, s->bytes);
		if (!error && s->bytes)
			memcpy(to->data, view->slots, s->bytes);
		return error;
	}
	error = content_alloc(to, ((size_t)s->events + s->emergency_events) * SLOT);
	if (error || !to->bytes)
		return error;
	at = to->data;
	memcpy(at, view->slots + s->first, until_end * SLOT);
	memcpy(at + until_end, view->slots, (s->events - until_end) * SLOT);
	memcpy(at + s->events, view->slots + normal_nr, s->emergency_events * SLOT);
	return 0;
}

/* Expands all frames. Return: 0, -errno; -EBADMSG = they do not hold @events. */
static int expand(struct content *to, const struct content *from, size_t events)
{
	int error = content_alloc(to, events * SLOT);
	size_t n;

	if (error || !to->bytes)
		return error;
	n = ZSTD_decompress(to->data, to->bytes, from->data, from->bytes);
	if (!ZSTD_isError(n) && n == to->bytes)
		return 0;
	content_free(to);
	return -EBADMSG;
}

int content_events(struct content *to, const struct kt_shark_view *view)
{
	struct content packed;
	int error = content_copy(to, view);

	if (error || !(view->status.flags & FTRACE_CHUNK_FLAG_COMPR))
		return error;
	packed = *to;
	error = expand(to, &packed, view->status.events);
	content_free(&packed);
	return error;
}

int content_compress(const struct content *from, void **memory, size_t *bytes)
{
	const size_t most = ZSTD_compressBound(from->bytes);
	void *less;

	*memory = malloc(most);
	if (!*memory)
		return -ENOMEM;
	*bytes = ZSTD_compress(*memory, most, from->data, from->bytes, ZSTD_CLEVEL_DEFAULT);
	if (ZSTD_isError(*bytes)) {
		free(*memory);
		return -ENOMEM;
	}
	less = realloc(*memory, *bytes);
	if (less)
		*memory = less;
	return 0;
}
