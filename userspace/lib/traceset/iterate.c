// SPDX-License-Identifier: LGPL-2.1
/*
 * iterate.c - the events of a traceset, one by one or many at once
 *
 * The event delivered last stays in its stream until the next call, which first advances that
 * stream; so payloads are handed out in place. Many at once are those in sections already loaded:
 * none of these is replaced before the next call. A stream that has ended takes part again once its
 * file has grown.
 */
#include "set.h"

#include <errno.h>

#include "context.h"

/* For work done for every event: a call would cost as much as the work. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Lets a stream without an event try again. */
static int wake_stream(struct stream *s)
{
	int ret;

	if (s->has_event)
		return 0;
	ret = stream_next(s);
	if (ret <= 0)
		return ret;
	s->has_event = true;
	if (!s->has_first) {
		s->has_first = true;
		s->first_time = s->now.time;
	}
	return 0;
}

void ktrace_set_only(struct ktrace_traceset *set,
		     bool (*wants)(const struct ktrace_event_type *type))
{
	size_t i;

	set->wants = wants;
	for (i = 0; i < set->trace_nr; i++) {
		set->traces[i]->learns_nothing = true;
		ktrace_trace_leave_out(set->traces[i], wants);
	}
}

/* Leaves out what is between a stream's first event and its last section. */
static void leave_out(struct stream *s)
{
	if (s->next + 1 >= s->entry_nr)
		return;
	s->next = s->entry_nr - 1;
	s->cur.off = s->cur.end;
	s->lost_left = 0;
}

/* Lets all streams that have an event again take part in the merge. */
static int wake_all(struct ktrace_traceset *set)
{
	struct merge *m = &set->merge;
	int ret = ktrace_merge_init(m, set->traces, set->trace_nr);
	size_t i;

	if (ret)
		return ret;
	ktrace_readahead_share(set->ahead, m->nr);
	for (i = 0; i < m->nr && !ret; i++) {
		ktrace_readahead_turn(set->ahead); /* one section each is not many in a row */
		ret = wake_stream(m->streams[i]);
		if (m->streams[i]->is_left_out)
			leave_out(m->streams[i]);
	}
	ktrace_merge_rebuild(m);
	return ret;
}

/* Moves the streams to their first events. Returns 0, -ENOMEM. */
int ktrace_set_begin(struct ktrace_traceset *set)
{
	int ret = set->is_begun ? 0 : wake_all(set);

	set->is_begun = !ret;
	return ret;
}

/* Advances the stream whose event was delivered; @skips: to an event of ktrace_set_only() */
static ALWAYS_INLINE int consume(struct ktrace_traceset *set, bool skips)
{
	size_t leaf = merge_top_leaf(&set->merge);
	struct stream *s = set->merge.streams[leaf];
	int ret;

	set->is_consumed = false;
	ret = skips ? ktrace_stream_next_wanted(s, set->wants) : stream_next(s);
	if (kt_likely(ret == 1)) {
		merge_update(&set->merge, merge_key_of(leaf, s->now.time));
		return 0;
	}
	s->has_event = false;
	set->end = s->now.time > set->end ? s->now.time : set->end;
	merge_update(&set->merge, merge_key_none(leaf));
	return ret;
}

/* Reads what the files have gained; drops the event delivered last. Returns 0, -ENOMEM. */
int ktrace_set_wake(struct ktrace_traceset *set)
{
	int ret = set->is_consumed ? consume(set, false) : 0;

	return ret ? ret : wake_all(set);
}

static __u32 event_flags(__u32 rec)
{
	return (rec & KTRACE_REC_TRUNCATED ? KTRACE_EVENT_TRUNCATED : 0) |
	       (rec & KTRACE_REC_IRQ ? KTRACE_EVENT_IRQ : 0) |
	       (rec & KTRACE_REC_CRITICAL ? KTRACE_EVENT_CRITICAL : 0);
}

/*
 * True if a record only needs to be delivered. @prev: stamp of the record before, @may_teach:
 * stream_may_teach().
 */
static ALWAYS_INLINE bool is_plain(const struct stream_event *r, __u64 prev, bool may_teach)
{
	return r->id >= KTRACE_ID_FIRST && !(r->tid_flags & ~KTRACE_TID_MASK) && r->ts >= prev &&
	       !(may_teach && event_teaches(r->id));
}

static ALWAYS_INLINE bool is_now_plain(const struct stream *s)
{
	return is_plain(&s->now, s->prev_raw, stream_may_teach(s));
}

static ALWAYS_INLINE void fill(struct ktrace_trace_event *e, const struct stream *s,
			       const struct type_table *types, const struct stream_event *r)
{
	e->time = r->time;
	e->raw = r->ts;
	e->type = type_of(types, r->id);
	e->stream = &s->pub;
	e->payload = r->payload;
	e->len = r->len;
	e->tid = r->tid_flags & KTRACE_TID_MASK;
	e->flags = 0;
	e->id = r->id;
}

static ALWAYS_INLINE void fill_now(struct ktrace_trace_event *e, const struct stream *s)
{
	const struct type_table types = types_of(s->trace, s->pub.kind);

	fill(e, s, &types, &s->now);
}

/* Removes the context from an event. Events of programs have none, nor have fragments. */
static void take_context(const struct stream *s, struct ktrace_trace_event *e)
{
	const __u32 flags = s->now.tid_flags;

	if (flags & KTRACE_REC_CONTEXT && s->pub.kind == KTRACE_CHANNEL_KERNEL &&
	    !(flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT)))
		ktrace_context_take_off(e);
}

static int deliver_lost(struct ktrace_traceset *set, struct stream *s, struct ktrace_trace_event *e)
{
	__u64 *sum = &set->stats.lost[s->lost_out.reason];

	e->type = set->lost_type;
	*sum = s->lost_out.count > ~0ull - *sum ? ~0ull : *sum + s->lost_out.count;
	return 1;
}

/*
 * Handles records other than ordinary events of a user channel, with flags, or that go back, and
 * those that may end a fragmented event: then that event is delivered, and @s stays where it is.
 * Returns 1 to deliver, 0 to continue, -ENOMEM.
 */
static int special(struct ktrace_traceset *set, struct stream *s, struct ktrace_trace_event *e)
{
	int ret = 1;

	if (s->now.id == KTRACE_ID_LOST)
		return deliver_lost(set, s, e);
	if (set->fragments.nr && ktrace_fragment_end(&set->fragments, e, s->now.tid_flags)) {
		set->is_consumed = false;
		set->stats.events++;
		return 1;
	}
	e->flags = event_flags(s->now.tid_flags);
	take_context(s, e);
	if (s->now.ts < s->prev_raw) {
		e->flags |= KTRACE_EVENT_BACKWARDS;
		set->stats.backwards++;
	}
	s->prev_raw = s->now.ts;
	if (s->now.tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT))
		ret = ktrace_fragment_add(&set->fragments, e, s->now.tid_flags);
	else if (stream_may_teach(s))
		ret = ktrace_trace_learn(s->trace, e) ? -ENOMEM : 1;
	set->stats.events += ret == 1;
	return ret;
}

static int at_end(struct ktrace_traceset *set, struct ktrace_trace_event *e)
{
	if (ktrace_set_may_grow(set) ||
	    !ktrace_fragment_take_oldest(&set->fragments, set->end, e))
		return 0;
	set->stats.events++;
	return 1;
}

/* Takes in the current event of @s, which is on top; returns as special(). */
static ALWAYS_INLINE int deliver_top(struct ktrace_traceset *set, struct stream *s,
				     struct ktrace_trace_event *e)
{
	set->is_consumed = true;
	fill_now(e, s);
	if (kt_unlikely(set->fragments.nr || !is_now_plain(s)))
		return special(set, s, e);
	s->prev_raw = s->now.ts;
	set->stats.events++;
	return 1;
}

/* Delivers the next event of any kind, or that is wanted; returns as ktrace_traceset_next(). */
static ALWAYS_INLINE int deliver(struct ktrace_traceset *set, struct ktrace_trace_event *e,
				 bool skips)
{
	struct stream *s;
	int ret;

	for (;;) {
		if (set->is_consumed) {
			ret = consume(set, skips);
			if (kt_unlikely(ret))
				return ret;
		}
		s = merge_top(&set->merge);
		if (kt_unlikely(!s))
			return at_end(set, e);
		ret = deliver_top(set, s, e);
		if (kt_likely(ret))
			return ret;
	}
}

/* Brings the next record to the top. Returns 0, -ENOMEM. */
int ktrace_set_settle(struct ktrace_traceset *set)
{
	if (kt_unlikely(!set->is_begun))
		return ktrace_set_begin(set);
	return set->is_consumed ? consume(set, false) : 0;
}

/*
 * Takes in the record on top, or delivers an event left over after all records. Returns 1 and an
 * event, 0 for none, -ENOMEM.
 */
int ktrace_set_step(struct ktrace_traceset *set, struct ktrace_trace_event *e)
{
	struct stream *s = merge_top(&set->merge);

	return s ? deliver_top(set, s, e) : at_end(set, e);
}

/*
 * Takes in the current event of @s as a fragment of an event that stays incomplete. Returns 0,
 * -EBADMSG if it is no such fragment, -ENOMEM.
 */
int ktrace_set_take_fragment(struct ktrace_traceset *set, struct stream *s)
{
	struct ktrace_trace_event e;
	int ret;

	fill_now(&e, s);
	e.flags = event_flags(s->now.tid_flags);
	ret = ktrace_fragment_add(&set->fragments, &e, s->now.tid_flags);
	return ret == 1 ? -EBADMSG : ret;
}

int ktrace_traceset_next(struct ktrace_traceset *set, struct ktrace_trace_event *event)
{
	int ret;

	if (kt_unlikely(!set->is_begun)) {
		ret = ktrace_set_begin(set);
		if (ret)
			return ret;
	}
	return deliver(set, event, false);
}

int ktrace_set_next_wanted(struct ktrace_traceset *set, struct ktrace_trace_event *event)
{
	const int ret = ktrace_set_begin(set);

	return ret ? ret : deliver(set, event, true);
}

/*
 * Sets @last to the last time that the stream on top can reach without checking the others; returns
 * false if there is none.
 */
static bool run_end(const struct merge *m, __u64 *last)
{
	bool wins_ties = m->top.leaf < m->limit.leaf;

	*last = m->limit.time - !wins_ties;
	return wins_ties || m->limit.time;
}

/* Sets the current event of @s to the plain event @e, delivered last. */
static void set_now(struct stream *s, const struct ktrace_trace_event *e)
{
	s->now = (struct stream_event){
		.ts = e->raw, .tid_flags = e->tid, .id = (__u16)e->id, .len = (__u16)e->len,
		.time = e->time, .payload = e->payload,
	};
	s->prev_raw = e->raw;
	s->cur.off = (__u32)(e->payload - s->cur.base) +
		     KTRACE_RECORD_SIZE(e->len) - (__u32)sizeof(struct ktrace_record);
}

/*
 * Fills in plain events of @s from its loaded section, up to the time @last. The event before was
 * plain too. Everything constant is in local variables: reading spends most of its time in this
 * loop. Returns the end of the events filled in.
 */
static __attribute__((noinline)) struct ktrace_trace_event *
fill_run(const struct stream *s, __u64 last, struct ktrace_trace_event *e,
	 const struct ktrace_trace_event *end)
{
	const char *at = s->cur.base + s->cur.off, *const stop = s->cur.base + s->cur.end;
	const struct type_table types = types_of(s->trace, s->pub.kind);
	const bool may_teach = stream_may_teach(s);
	const struct stretch clock = s->clock;
	__u64 prev = s->prev_raw;
	struct stream_event r;

	for (; e < end && record_at(at, stop - at, &r); e++) {
		if (!is_plain(&r, prev, may_teach) || !stretch_has(&clock, r.ts))
			break;
		r.time = stretch_ns(&clock, r.ts);
		if (r.time > last)
			break;
		fill(e, s, &types, &r);
		prev = r.ts;
		at += KTRACE_RECORD_SIZE(r.len);
	}
	return e;
}

/*
 * Delivers plain events of the stream on top, from its loaded section, as long as they precede all
 * others. The event on top, plain too, has been delivered. Returns their number.
 */
static int deliver_run(struct ktrace_traceset *set, struct ktrace_trace_event *e, int max)
{
	struct stream *s = merge_top(&set->merge);
	__u64 last;
	int n;

	if (s->lost_left || !run_end(&set->merge, &last))
		return 0;
	n = (int)(fill_run(s, last, e, e + max) - e);
	if (!n)
		return 0;
	set_now(s, &e[n - 1]);
	merge_rise(&set->merge, s->now.time);
	set->stats.events += (__u64)n;
	return n;
}

/* Delivers the next event if it is ordinary and loaded. */
static ALWAYS_INLINE bool deliver_loaded(struct ktrace_traceset *set, struct ktrace_trace_event *e)
{
	size_t leaf = merge_top_leaf(&set->merge);
	struct stream *s = set->merge.streams[leaf];

	if (!stream_step(s))
		return false;
	merge_update(&set->merge, merge_key_of(leaf, s->now.time));
	s = merge_top(&set->merge);
	set->is_consumed = is_now_plain(s);
	if (!set->is_consumed)
		return false;
	fill_now(e, s);
	s->prev_raw = s->now.ts;
	set->stats.events++;
	return true;
}

/* True if the payload is in a loaded section and the event is marked as consumed. */
static bool is_in_place(const struct ktrace_traceset *set, const struct ktrace_trace_event *e)
{
	return set->is_consumed && e->payload == merge_top(&set->merge)->now.payload &&
	       e->id != KTRACE_ID_LOST;
}

int ktrace_traceset_read(struct ktrace_traceset *set, struct ktrace_trace_event *events, int max)
{
	int n = max > 0 ? ktrace_traceset_next(set, events) : -EINVAL;

	if (n != 1 || set->fragments.nr || !is_in_place(set, events))
		return n;
	while (n < max) {
		if (set->merge.limit.leaf)
			n += deliver_run(set, events + n, max - n);
		if (n == max || !deliver_loaded(set, events + n))
			break;
		n++;
	}
	return n;
}

/*
 * Skips the events before @time: they are not delivered, but carry names, and may be the first
 * fragments of an event that ends later.
 */
static int skip_until(struct ktrace_traceset *set, __u64 time)
{
	struct ktrace_trace_event e;
	struct stream *s;
	int ret = 0;

	set->fragments.is_skipping = true;
	while (ret >= 0 && (s = merge_top(&set->merge)) && s->now.time < time) {
		fill_now(&e, s);
		take_context(s, &e);
		s->prev_raw = e.raw;
		if (e.id != KTRACE_ID_LOST &&
		    ktrace_fragment_end(&set->fragments, &e, s->now.tid_flags))
			fill_now(&e, s);
		if (e.id == KTRACE_ID_LOST)
			ret = 0;
		else if (s->now.tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT))
			ret = ktrace_fragment_add(&set->fragments, &e, s->now.tid_flags);
		else if (s->pub.kind == KTRACE_CHANNEL_KERNEL)
			ret = ktrace_trace_learn(s->trace, &e);
		if (ret >= 0)
			ret = consume(set, false);
	}
	set->fragments.is_skipping = false;
	return ret;
}

/* Moves the streams to @from, and skips the events before @time. */
static int seek_from(struct ktrace_traceset *set, __u64 from, __u64 time)
{
	struct merge *m = &set->merge;
	int ret = 0;
	size_t i;

	set->is_consumed = false;
	ktrace_fragment_drop_all(&set->fragments);
	for (i = 0; i < m->nr && ret >= 0; i++)
		ret = ktrace_stream_seek(m->streams[i], from, from < time);
	ktrace_merge_rebuild(m);
	return ret < 0 ? ret : skip_until(set, time);
}

int ktrace_traceset_seek(struct ktrace_traceset *set, __u64 time)
{
	int ret = ktrace_set_begin(set);
	__u64 begin;

	if (!ret)
		ret = ktrace_merge_init(&set->merge, set->traces, set->trace_nr);
	if (!ret)
		ret = seek_from(set, time, time);
	if (ret < 0 || !ktrace_fragment_drop_unsure(&set->fragments, &begin))
		return ret;
	ret = seek_from(set, begin, time);
	ktrace_fragment_drop_unsure(&set->fragments, &begin);
	return ret;
}

__u64 ktrace_traceset_scattered(const struct ktrace_traceset *set)
{
	return set->fragments.scattered;
}
