/* SPDX-License-Identifier: GPL-2.0 */
/* merge.h - reads the events of all CPUs and buffers in order of time */
#ifndef VIEWER_IMPORT_TRACE_DAT_MERGE_H
#define VIEWER_IMPORT_TRACE_DAT_MERGE_H

#include "pages.h"

/**
 * struct merge_stream - a CPU of a buffer
 * @buffer:	the buffer
 * @pages:	its events
 * @ns:		time of its current event
 * @last_ns:	time of the one before
 * @has_last:	there was one
 */
struct merge_stream {
	const struct file_buffer *buffer;
	struct pages pages;
	__s64 ns;
	__s64 last_ns;
	bool has_last;
};

/**
 * struct merge - all of them
 * @all:	streams, buffer by buffer
 * @nr:		number of them
 * @heap:	streams with events, the one with the earliest first
 * @heap_nr:	number of them
 */
struct merge {
	struct merge_stream *all;
	__u32 nr;
	struct merge_stream **heap;
	__u32 heap_nr;
};

/** merge_open - go to the first event of each stream. Return: 0, -ENOMEM */
int merge_open(struct merge *m, struct file *f, unsigned int page_long);
/** merge_first - the stream with the earliest event, NULL = none is left */
static inline struct merge_stream *merge_first(const struct merge *m)
{
	return m->heap_nr ? m->heap[0] : NULL;
}
/** merge_next - move that stream to its next event. Return: 0, -ENOMEM */
int merge_next(struct merge *m);
void merge_close(struct merge *m);

#endif
