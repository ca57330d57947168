/* SPDX-License-Identifier: LGPL-2.1 */
/* content.h - what a chunk holds, in one piece of memory that can be handed on */
#ifndef KTRACE_SHARK_CONTENT_H
#define KTRACE_SHARK_CONTENT_H

#include <shark/shark.h>

/**
 * struct content - events, oldest first, or zstd frames with them
 * @data:	the bytes, NULL = there are none
 * @bytes:	how many
 * @fd:		descriptor of the memory they are in; -1: it has none
 */
struct content {
	void *data;
	size_t bytes;
	int fd;
};

/* All return 0 or -errno; free with content_free(). The view's chunk is BUSY. */
int content_copy(struct content *to, const struct kt_shark_view *view);
/* The same, but events: what is compressed is expanded. */
int content_events(struct content *to, const struct kt_shark_view *view);
/* Memory from malloc() that has @from, compressed, and its @bytes. */
int content_compress(const struct content *from, void **memory, size_t *bytes);
void content_free(struct content *c);

#endif
