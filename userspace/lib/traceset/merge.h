/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * merge.h - the stream with the smallest key first
 *
 * Key: (time, stream id, number of the trace). The stream being read, @now, is kept out
 * of the heap; as long as its next key is below the heap's smallest, reading it on costs
 * one comparison. Bursts, which are what programs make, are thus read at the speed of
 * one stream, and a change of stream costs one way down the heap.
 */
#ifndef KTRACE_TRACESET_MERGE_H
#define KTRACE_TRACESET_MERGE_H

#include "trace.h"

typedef unsigned __int128 merge_key;

/* struct node - a stream with an event, and the event's key */
struct node {
	merge_key key;
	struct stream *stream;
};

/**
 * struct merge - the streams that have an event
 * @heap:	smallest key first, @now not among them
 * @nr:		how many
 * @cap:	room for so many
 * @now:	the stream whose event is next, NULL stream = none
 */
struct merge {
	struct node *heap;
	size_t nr;
	size_t cap;
	struct node now;
};

static inline merge_key merge_key_of(const struct stream *s)
{
	return (merge_key)s->time << 64 | (__u64)s->pub.id << 32 | s->trace->index;
}

static inline void merge_sift_up(struct node *heap, size_t i, struct node n)
{
	for (; i && n.key < heap[(i - 1) / 2].key; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = n;
}

/*
 * Puts @n in place of the smallest. The way down compares siblings only, without a
 * branch; @n then rises to its place, most often not far.
 */
static inline void merge_replace_top(struct merge *m, struct node n)
{
	struct node *heap = m->heap;
	size_t i = 0, child = 1;

	while (child + 1 < m->nr) {
		child += heap[child + 1].key < heap[child].key;
		heap[i] = heap[child];
		i = child;
		child = 2 * i + 1;
	}
	if (child < m->nr) {
		heap[i] = heap[child];
		i = child;
	}
	merge_sift_up(heap, i, n);
}

/* The next event of @now was read: who is next? */
static inline void merge_update(struct merge *m)
{
	struct node n = { merge_key_of(m->now.stream), m->now.stream };

	if (kt_likely(!m->nr || n.key < m->heap[0].key)) {
		m->now = n;
		return;
	}
	m->now = m->heap[0];
	merge_replace_top(m, n);
}

/* @now has no more events: who is next? */
static inline void merge_drop(struct merge *m)
{
	if (!m->nr) {
		m->now.stream = NULL;
		return;
	}
	m->now = m->heap[0];
	m->nr--;
	if (m->nr)
		merge_replace_top(m, m->heap[m->nr]);
}

/* Adds a stream that has an event. There is room: see ktrace_merge_reserve(). */
static inline void merge_add(struct merge *m, struct stream *s)
{
	struct node n = { merge_key_of(s), s };

	if (!m->now.stream) {
		m->now = n;
		return;
	}
	if (n.key < m->now.key) {
		struct node before = m->now;

		m->now = n;
		n = before;
	}
	m->nr++;
	merge_sift_up(m->heap, m->nr - 1, n);
}

#endif
