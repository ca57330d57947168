// SPDX-License-Identifier: LGPL-2.1
/*
 * skip.c - goes over events of no interest, by their numbers alone
 *
 * Such an event costs some nanoseconds: it has no time, and takes no part in the merge. Streams
 * without any other event are not even read, except for their ends.
 */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"

/* What is known of an id */
enum { UNKNOWN, WANTED, UNWANTED };

/* Decides about an id. One without a type is wanted, and may have a type later. */
static __attribute__((noinline)) bool learn(struct trace *t, __u32 id,
					    bool (*wants)(const struct ktrace_event_type *type))
{
	const struct type_table types = types_of(t, KTRACE_CHANNEL_KERNEL);
	const struct ktrace_event_type *type = type_of(&types, id);
	size_t i;

	if (!type)
		return false;
	if (id >= t->interest_nr) {
		if (!LIST_RESIZE(t->interest, (size_t)id + 1))
			return false;
		for (i = t->interest_nr; i <= id; i++)
			t->interest[i] = UNKNOWN;
		t->interest_nr = (size_t)id + 1;
	}
	t->interest[id] = wants(type) ? WANTED : UNWANTED;
	return t->interest[id] == UNWANTED;
}

/* True for an event that need not be delivered. @prev: stamp of the one before */
static inline bool can_skip(const struct stream *s, const struct stream_event *r, __u64 prev,
			    bool (*wants)(const struct ktrace_event_type *type))
{
	struct trace *t = s->trace;

	if (r->id < KTRACE_ID_FIRST || r->ts < prev ||
	    r->tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT))
		return false;
	if (s->pub.kind != KTRACE_CHANNEL_KERNEL)
		return true;
	if (r->id < t->interest_nr && t->interest[r->id] != UNKNOWN)
		return t->interest[r->id] == UNWANTED;
	return learn(t, r->id, wants);
}

/* Skips events of the loaded section whose types are known to be of no interest. */
static void skip_known(struct stream *s)
{
	const char *const from = s->cur.base + s->cur.off, *const stop = s->cur.base + s->cur.end;
	const __u8 *const interest = s->trace->interest;
	const size_t nr = s->trace->interest_nr;
	__u64 prev = s->prev_raw;
	struct ktrace_record rec;
	const char *at = from;

	for (; stop - at >= (long)sizeof(rec); at += KTRACE_RECORD_SIZE(rec.len)) {
		memcpy(&rec, at, sizeof(rec));
		if (rec.id >= nr || interest[rec.id] != UNWANTED || rec.ts < prev ||
		    rec.tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT) ||
		    (long)KTRACE_RECORD_SIZE(rec.len) > stop - at)
			break;
		__builtin_prefetch(at + PREFETCH);
		prev = rec.ts;
	}
	if (at == from)
		return;
	s->cur.off = (__u32)(at - s->cur.base);
	s->prev_raw = s->skipped_raw = prev;
}

int ktrace_stream_next_wanted(struct stream *s, bool (*wants)(const struct ktrace_event_type *type))
{
	int ret;

	for (;;) {
		/* Without a loaded section there may be no base. */
		if (s->pub.kind == KTRACE_CHANNEL_KERNEL && !s->lost_left &&
		    s->cur.off != s->cur.end)
			skip_known(s);
		ret = stream_next(s);
		if (ret != 1 || !can_skip(s, &s->now, s->prev_raw, wants))
			return ret;
		s->prev_raw = s->skipped_raw = s->now.ts;
	}
}

/* Stamps of a writer that was interrupted are off by less than a second over this. */
#define DISORDER 1000u

/* struct wanted - types of interest; how many events streams have by type, NULL = unknown */
struct wanted {
	bool (*wants)(const struct ktrace_event_type *type);
	struct ktrace_count *counts;
	size_t nr;
};

/* True if the stream may have events of interest: one without a type may be such. */
static bool may_have(const struct stream *s, const struct wanted *w)
{
	const struct type_table types = types_of(s->trace, KTRACE_CHANNEL_KERNEL);
	const struct ktrace_event_type *type;
	size_t i;

	if (!w->counts)
		return true;
	i = PARTITION_POINT(w->nr, k, w->counts[k].stream < s->pub.id);
	for (; i < w->nr && w->counts[i].stream == s->pub.id; i++) {
		type = type_of(&types, w->counts[i].id);
		if (!type || w->wants(type))
			return true;
	}
	return false;
}

void ktrace_trace_leave_out(struct trace *t, bool (*wants)(const struct ktrace_event_type *type))
{
	struct wanted w = { .wants = wants };
	const long nr = ktrace_trace_counts((const struct ktrace_trace *)t, &w.counts);
	struct stream *s;
	size_t i;

	w.nr = nr > 0 ? (size_t)nr : 0;
	for (i = 0; i < t->stream_nr; i++) {
		s = t->streams[i];
		s->is_left_out = s->back <= t->clock.hz / DISORDER &&
				 (s->pub.kind != KTRACE_CHANNEL_KERNEL || !may_have(s, &w));
	}
	free(w.counts);
}
