/* SPDX-License-Identifier: LGPL-2.1 */
/* content.h - the content of a chunk, in one piece of memory that can be passed on */
#ifndef KTRACE_SHARK_CONTENT_H
#define KTRACE_SHARK_CONTENT_H

#include <shark/shark.h>

/**
 * struct content - events, oldest first, or zstd frames of them
 * @data:	the bytes, NULL = none
 * @bytes:	how many
 * @fd:		descriptor of their memory, -1 = none
 */
struct content {
	void *data;
	size_t bytes;
	int fd;
};

/*
 * Copies the content of a chunk. All of these return 0 or -errno; free with content_free(). The
 * view's chunk is BUSY.
 */
int content_copy(struct content *to, const struct kt_shark_view *view);
/* The same, but always events: expands compressed ones. */
int content_events(struct content *to, const struct kt_shark_view *view);
/* Compresses @from into memory from malloc(), @bytes long. */
int content_compress(const struct content *from, void **memory, size_t *bytes);
void content_free(struct content *c);

#endif
