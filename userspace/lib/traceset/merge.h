/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * merge.h - the stream with the smallest key first
 *
 * Key: time, then the number of the stream's leaf; leaves are in order of (stream id, number of the
 * trace). A tree of losers: each inner node has the key that lost there, so a stream with a new key
 * meets only those on the way from its leaf to the top, whose positions are known beforehand, and
 * no comparison is a branch. Streams without an event have keys after all others.
 *
 * The stream on top keeps its place as long as its next key is below @limit, the smallest of the
 * others. Programs produce bursts, which are thus read at the speed of one stream. The limit is
 * computed when it is likely to be useful: when the previous stream stayed on top, or this one has
 * done so without a limit.
 */
#ifndef KTRACE_TRACESET_MERGE_H
#define KTRACE_TRACESET_MERGE_H

#include "trace.h"

#define MERGE_NONE (1ull << 63)	/* in @leaf: stream has no event */
#define MERGE_LAST ((struct merge_key){ ~0ull, ~0ull })

/**
 * struct merge_key - the key of a stream
 * @time:	of its next event
 * @leaf:	number of its leaf, from 1 on so that no key is 0
 */
struct merge_key {
	__u64 time;
	__u64 leaf;
};

/**
 * struct merge - the streams of a traceset
 * @streams:	by leaf
 * @nr:		their number
 * @losers:	node i has the children 2i and 2i+1; leaves have the numbers from @leaves on, but no
 *		memory
 * @leaves:	a power of two, not below @nr
 * @top:	the smallest key
 * @limit:	@top may rise up to here without checking the others; 0 = unknown
 * @is_run:	@top has risen that way
 */
struct merge {
	struct stream **streams;
	size_t nr;
	struct merge_key *losers;
	size_t leaves;
	struct merge_key top;
	struct merge_key limit;
	bool is_run;
};

int ktrace_merge_init(struct merge *m, struct trace *const *traces, size_t nr);
void ktrace_merge_rebuild(struct merge *m);
void ktrace_merge_free(struct merge *m);

static inline struct merge_key merge_key_of(size_t leaf, __u64 time)
{
	return (struct merge_key){ time, leaf + 1 };
}

static inline struct merge_key merge_key_none(size_t leaf)
{
	return (struct merge_key){ ~0ull, (leaf + 1) | MERGE_NONE };
}

static inline bool merge_is_less(struct merge_key a, struct merge_key b)
{
	return ((unsigned __int128)a.time << 64 | a.leaf) <
	       ((unsigned __int128)b.time << 64 | b.leaf);
}

static inline size_t merge_top_leaf(const struct merge *m)
{
	return (size_t)(m->top.leaf & ~MERGE_NONE) - 1;
}

/* Returns the stream with the next event; NULL: none has one. */
static inline struct stream *merge_top(const struct merge *m)
{
	return m->top.leaf & MERGE_NONE ? NULL : m->streams[merge_top_leaf(m)];
}

/* Replays from @leaf, which has or had the smallest key, up with @key. */
static inline void merge_replay(struct merge *m, size_t leaf, struct merge_key key)
{
	size_t i;

	for (i = (m->leaves + leaf) / 2; i; i /= 2) {
		struct merge_key other = m->losers[i];
		__u64 swap = -(__u64)merge_is_less(other, key), time, number;

		__asm__("" : "+r" (swap));	/* keeps the compiler from making this a branch */
		time = (other.time ^ key.time) & swap;
		number = (other.leaf ^ key.leaf) & swap;
		m->losers[i] = (struct merge_key){ other.time ^ time, other.leaf ^ number };
		key = (struct merge_key){ key.time ^ time, key.leaf ^ number };
	}
	m->top = key;
}

/* Returns the smallest key except the one on top. */
static inline struct merge_key merge_second(const struct merge *m)
{
	struct merge_key least = MERGE_LAST;
	size_t i;

	for (i = (m->leaves + merge_top_leaf(m)) / 2; i; i /= 2)
		least = merge_is_less(m->losers[i], least) ? m->losers[i] : least;
	return least;
}

/* Sets the time of the stream on top to @time, which is within the limit. */
static inline void merge_rise(struct merge *m, __u64 time)
{
	m->top.time = time;
	m->is_run = true;
}

/* Sets the key of the stream on top to @key and finds the new top. */
static inline void merge_update(struct merge *m, struct merge_key key)
{
	if (kt_likely(merge_is_less(key, m->limit))) {
		m->top = key;
		m->is_run = true;
		return;
	}
	merge_replay(m, merge_top_leaf(m), key);
	m->limit = (struct merge_key){ 0 };
	if (m->is_run || m->top.leaf == key.leaf)
		m->limit = merge_second(m);
	m->is_run = false;
}

#endif
