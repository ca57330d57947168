// SPDX-License-Identifier: LGPL-2.1
/*
 * skip.c - goes over events of no interest, by their numbers alone
 *
 * Such an event costs some nanoseconds: it has no time, and takes no part in the merge.
 */
#include "trace.h"

#include <errno.h>

#include "base/grow.h"

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

/* Skips events of the loaded section behind the current one, which is skipped, too. */
static void skip_loaded(struct stream *s, bool (*wants)(const struct ktrace_event_type *type))
{
	const char *at = s->cur.base + s->cur.off, *const stop = s->cur.base + s->cur.end;
	__u64 prev = s->now.ts;
	struct stream_event r;

	while (!s->lost_left && record_at(at, stop - at, &r) && can_skip(s, &r, prev, wants)) {
		prev = r.ts;
		at += KTRACE_RECORD_SIZE(r.len);
	}
	s->cur.off = (__u32)(at - s->cur.base);
	s->prev_raw = s->skipped_raw = prev;
}

int ktrace_stream_skip(struct stream *s, bool (*wants)(const struct ktrace_event_type *type))
{
	int ret = 1;

	while (ret == 1 && can_skip(s, &s->now, s->prev_raw, wants)) {
		skip_loaded(s, wants);
		ret = stream_next(s);
	}
	return ret;
}
