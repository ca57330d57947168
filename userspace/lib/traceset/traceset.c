// SPDX-License-Identifier: LGPL-2.1
/*
 * traceset.c - any number of tracefiles as one sequence of events
 *
 * The event delivered last stays in its stream until the next call, which first moves
 * that stream on; so payloads are handed out where they are. A stream that has ended is
 * in nobody's heap and comes back when its file has grown.
 */
#include <ktrace/traceset.h>

#include "fragment.h"
#include "merge.h"
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For what is done for each event: a call costs as much as the work. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/**
 * struct ktrace_traceset - traces and the state of reading
 * @opts:	as given
 * @traces:	in order of addition
 * @trace_nr:	how many
 * @merge:	the streams that have an event
 * @fragments:	events that are not complete
 * @lost_type:	type of "ktrace:lost"
 * @stats:	what reading has met
 * @end:	time of the last event of streams that have ended
 * @is_begun:	streams are at their first or a later event
 * @is_consumed: the event of merge.now was delivered
 */
struct ktrace_traceset {
	struct ktrace_traceset_opts opts;
	struct trace **traces;
	size_t trace_nr;
	struct merge merge;
	struct fragments fragments;
	struct ktrace_event_type *lost_type;
	struct ktrace_traceset_stats stats;
	__u64 end;
	bool is_begun;
	bool is_consumed;
};

static const struct trace *to_trace(const struct ktrace_trace *trace)
{
	return (const struct trace *)trace;
}

static void report(void *arg, const char *path, __u64 offset, const char *message)
{
	struct ktrace_damage damage = { path, offset, message };
	struct ktrace_traceset *set = arg;

	set->stats.damaged++;
	if (set->opts.report)
		set->opts.report(set->opts.arg, &damage);
}

int ktrace_traceset_open(const struct ktrace_traceset_opts *opts, struct ktrace_traceset **out)
{
	struct ktrace_traceset *set;
	int ret;

	if (opts && opts->size != sizeof(*opts))
		return -EINVAL;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -ENOMEM;
	if (opts)
		set->opts = *opts;
	ret = ktrace_lost_type(&set->lost_type);
	if (ret) {
		free(set);
		return ret;
	}
	set->lost_type->id = KTRACE_ID_LOST;
	*out = set;
	return 0;
}

void ktrace_traceset_close(struct ktrace_traceset *set)
{
	size_t i;

	if (!set)
		return;
	for (i = 0; i < set->trace_nr; i++)
		ktrace_trace_free(set->traces[i]);
	free(set->traces);
	free(set->merge.heap);
	ktrace_fragment_drop_all(&set->fragments);
	ktrace_event_type_free(set->lost_type);
	free(set);
}

/* Traces of one boot share the offset of the first of them. */
static void set_offset(struct ktrace_traceset *set, struct trace *t)
{
	const char *boot = ktrace_meta_fact(t, "host", "boot");
	const struct segment *first = t->clock.segments;
	const char *other;
	size_t i;

	if (t->has_offset || !t->clock.nr)
		return;
	t->offset = first->wall > first->mono ? first->wall - first->mono : 0;
	t->has_offset = true;
	for (i = 0; i < set->trace_nr && boot; i++) {
		other = ktrace_meta_fact(set->traces[i], "host", "boot");
		if (set->traces[i]->has_offset && other && !strcmp(other, boot)) {
			t->offset = set->traces[i]->offset;
			return;
		}
	}
}

int ktrace_traceset_add(struct ktrace_traceset *set, const char *path)
{
	struct reader settings = {
		.fd = -1, .is_live = set->opts.is_live, .report = report, .arg = set,
	};
	struct trace **traces, *t;
	int ret;

	if (set->is_begun)
		return -EBUSY;
	traces = realloc(set->traces, (set->trace_nr + 1) * sizeof(struct trace *));
	if (!traces)
		return -ENOMEM;
	set->traces = traces;
	ret = ktrace_trace_open(&settings, path, &t);
	if (ret)
		return ret;
	set_offset(set, t);
	t->index = set->trace_nr;
	traces[set->trace_nr++] = t;
	return 0;
}

/* Room in the heap for all streams. */
static int reserve_heap(struct ktrace_traceset *set)
{
	struct node *heap;
	size_t nr = 0, i;

	for (i = 0; i < set->trace_nr; i++)
		nr += set->traces[i]->stream_nr;
	if (nr <= set->merge.cap)
		return 0;
	heap = realloc(set->merge.heap, nr * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	set->merge.heap = heap;
	set->merge.cap = nr;
	return 0;
}

/* Lets a stream that has no event try again. */
static int wake_stream(struct ktrace_traceset *set, struct stream *s)
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
		s->first_time = s->time;
	}
	merge_add(&set->merge, s);
	return 0;
}

/* Puts all streams that have an event again into the heap. */
static int wake_all(struct ktrace_traceset *set)
{
	struct trace *t;
	size_t i, j;
	int ret = reserve_heap(set);

	for (i = 0; i < set->trace_nr && !ret; i++) {
		t = set->traces[i];
		for (j = 0; j < t->stream_nr && !ret; j++)
			ret = wake_stream(set, t->streams[j]);
	}
	return ret;
}

static int begin(struct ktrace_traceset *set)
{
	if (set->is_begun)
		return 0;
	set->is_begun = true;
	return wake_all(set);
}

/* Moves the stream whose event was delivered on. */
static ALWAYS_INLINE int consume(struct ktrace_traceset *set)
{
	struct stream *s = set->merge.now.stream;
	int ret;

	set->is_consumed = false;
	ret = stream_next(s);
	if (kt_likely(ret == 1)) {
		merge_update(&set->merge);
		return 0;
	}
	s->has_event = false;
	set->end = s->time > set->end ? s->time : set->end;
	merge_drop(&set->merge);
	return ret;
}

static __u32 event_flags(__u32 rec)
{
	return (rec & KTRACE_REC_TRUNCATED ? KTRACE_EVENT_TRUNCATED : 0) |
	       (rec & KTRACE_REC_IRQ ? KTRACE_EVENT_IRQ : 0) |
	       (rec & KTRACE_REC_CRITICAL ? KTRACE_EVENT_CRITICAL : 0);
}

static ALWAYS_INLINE void fill(struct ktrace_trace_event *e, const struct stream *s)
{
	/* Not as one vector with the payload: both were just stored, one by one. */
	e->time = kt_load(&s->time);
	e->raw = s->rec.ts;
	e->type = find_type(s->trace, s->pub.kind, s->rec.id);
	e->stream = &s->pub;
	e->payload = s->payload;
	e->len = s->rec.len;
	e->tid = s->rec.tid_flags & KTRACE_TID_MASK;
	e->flags = 0;
	e->id = s->rec.id;
}

static int deliver_lost(struct ktrace_traceset *set, struct stream *s, struct ktrace_trace_event *e)
{
	__u64 *sum = &set->stats.lost[s->lost_out.reason];

	e->type = set->lost_type;
	*sum = s->lost_out.count > ~0ull - *sum ? ~0ull : *sum + s->lost_out.count;
	return 1;
}

/*
 * What is not an ordinary event of a user channel, what has flags or goes back, and what
 * may end a fragmented event: then that one is delivered, and @s stays where it is.
 * Return: 1 deliver, 0 go on, -ENOMEM.
 */
static int special(struct ktrace_traceset *set, struct stream *s, struct ktrace_trace_event *e)
{
	int ret = 1;

	if (s->rec.id == KTRACE_ID_LOST)
		return deliver_lost(set, s, e);
	if (set->fragments.nr && ktrace_fragment_end(&set->fragments, e, s->rec.tid_flags)) {
		set->is_consumed = false;
		set->stats.events++;
		return 1;
	}
	e->flags = event_flags(s->rec.tid_flags);
	if (s->rec.ts < s->prev_raw) {
		e->flags |= KTRACE_EVENT_BACKWARDS;
		set->stats.backwards++;
	}
	s->prev_raw = s->rec.ts;
	if (s->rec.tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT))
		ret = ktrace_fragment_add(&set->fragments, e, s->rec.tid_flags);
	else if (s->pub.kind == KTRACE_CHANNEL_KERNEL)
		ret = ktrace_trace_learn(s->trace, e) ? -ENOMEM : 1;
	set->stats.events += ret == 1;
	return ret;
}

static bool is_ordinary(const struct ktrace_traceset *set, const struct stream *s)
{
	return !set->fragments.nr && s->rec.id != KTRACE_ID_LOST &&
	       s->pub.kind == KTRACE_CHANNEL_USER &&
	       !(s->rec.tid_flags & ~KTRACE_TID_MASK) && s->rec.ts >= s->prev_raw;
}

static int at_end(struct ktrace_traceset *set, struct ktrace_trace_event *e)
{
	if (set->opts.is_live || !ktrace_fragment_take_oldest(&set->fragments, set->end, e))
		return 0;
	set->stats.events++;
	return 1;
}

int ktrace_traceset_next(struct ktrace_traceset *set, struct ktrace_trace_event *event)
{
	struct stream *s;
	int ret;

	if (kt_unlikely(!set->is_begun)) {
		ret = begin(set);
		if (ret)
			return ret;
	}
	for (;;) {
		if (set->is_consumed) {
			ret = consume(set);
			if (kt_unlikely(ret))
				return ret;
		}
		s = set->merge.now.stream;
		if (kt_unlikely(!s))
			return at_end(set, event);
		set->is_consumed = true;
		fill(event, s);
		if (kt_likely(is_ordinary(set, s))) {
			s->prev_raw = s->rec.ts;
			set->stats.events++;
			return 1;
		}
		ret = special(set, s, event);
		if (ret)
			return ret;
	}
}

/*
 * Reads over the events before @time: they are not delivered, but tell names, and may be
 * the first fragments of an event that ends later.
 */
static int skip_until(struct ktrace_traceset *set, __u64 time)
{
	struct ktrace_trace_event e;
	struct stream *s;
	int ret = 0;

	set->fragments.is_skipping = true;
	while (ret >= 0 && (s = set->merge.now.stream) && s->time < time) {
		fill(&e, s);
		s->prev_raw = e.raw;
		if (e.id != KTRACE_ID_LOST &&
		    ktrace_fragment_end(&set->fragments, &e, s->rec.tid_flags))
			fill(&e, s);
		if (e.id == KTRACE_ID_LOST)
			ret = 0;
		else if (s->rec.tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT))
			ret = ktrace_fragment_add(&set->fragments, &e, s->rec.tid_flags);
		else if (s->pub.kind == KTRACE_CHANNEL_KERNEL)
			ret = ktrace_trace_learn(s->trace, &e);
		if (ret >= 0)
			ret = consume(set);
	}
	set->fragments.is_skipping = false;
	return ret;
}

int ktrace_traceset_seek(struct ktrace_traceset *set, __u64 time)
{
	struct trace *t;
	size_t i, j;
	int ret = begin(set);

	set->merge.nr = 0;
	set->merge.now.stream = NULL;
	set->is_consumed = false;
	ktrace_fragment_drop_all(&set->fragments);
	for (i = 0; i < set->trace_nr && !ret; i++) {
		t = set->traces[i];
		for (j = 0; j < t->stream_nr && !ret; j++) {
			ret = ktrace_stream_seek(t->streams[j], time);
			if (ret == 1)
				merge_add(&set->merge, t->streams[j]);
			ret = ret < 0 ? ret : 0;
		}
	}
	return ret ? ret : skip_until(set, time);
}

int ktrace_traceset_poll(struct ktrace_traceset *set)
{
	int nr = 0, ret;
	size_t i;

	for (i = 0; i < set->trace_nr; i++) {
		ret = ktrace_trace_grow(set->traces[i]);
		if (ret < 0)
			return ret;
		set_offset(set, set->traces[i]);
		nr += ret;
	}
	if (!nr || !set->is_begun)
		return nr;
	/* The event delivered last is done with: its stream may move on. */
	ret = set->is_consumed ? consume(set) : 0;
	if (!ret)
		ret = wake_all(set);
	return ret ? ret : nr;
}

int ktrace_traceset_span(struct ktrace_traceset *set, __u64 *start, __u64 *end)
{
	const struct stream *s;
	struct stream *last;
	size_t i, j;
	__u64 time;
	int ret = begin(set);

	*start = ~0ull;
	*end = 0;
	for (i = 0; i < set->trace_nr; i++) {
		for (j = 0; j < set->traces[i]->stream_nr; j++) {
			s = last = set->traces[i]->streams[j];
			if (!s->has_first)
				continue;
			time = ktrace_stream_time(last, s->entries[s->entry_nr - 1].max_raw);
			*start = s->first_time < *start ? s->first_time : *start;
			*end = time > *end ? time : *end;
		}
	}
	if (*start > *end)
		*start = *end;
	return ret;
}

void ktrace_traceset_stats(const struct ktrace_traceset *set,
			   struct ktrace_traceset_stats *stats)
{
	size_t i;

	*stats = set->stats;
	for (i = 0; i < set->trace_nr; i++)
		stats->blocks += set->traces[i]->loads;
}

const struct ktrace_trace *ktrace_traceset_trace(const struct ktrace_traceset *set, size_t i)
{
	return i < set->trace_nr ? (const struct ktrace_trace *)set->traces[i] : NULL;
}

const char *ktrace_trace_path(const struct ktrace_trace *trace)
{
	return to_trace(trace)->reader.path;
}

size_t ktrace_trace_index(const struct ktrace_trace *trace)
{
	return to_trace(trace)->index;
}

__u64 ktrace_trace_size(const struct ktrace_trace *trace)
{
	return to_trace(trace)->reader.size;
}

bool ktrace_trace_is_closed(const struct ktrace_trace *trace)
{
	return to_trace(trace)->reader.is_closed;
}

const char *ktrace_trace_meta(const struct ktrace_trace *trace, const char *keyword,
			      const char *key)
{
	return ktrace_meta_fact(to_trace(trace), keyword, key);
}

const struct ktrace_trace_stream *ktrace_trace_stream(const struct ktrace_trace *trace, size_t i)
{
	const struct trace *t = to_trace(trace);

	return i < t->stream_nr ? &t->streams[i]->pub : NULL;
}

__u32 ktrace_trace_types(const struct ktrace_trace *trace, __u32 kind)
{
	return kind < 2 ? to_trace(trace)->types[kind].nr : 0;
}

const struct ktrace_event_type *ktrace_trace_type(const struct ktrace_trace *trace, __u32 kind,
						  __u32 id)
{
	return find_type(to_trace(trace), kind, id);
}

const char *ktrace_trace_comm(const struct ktrace_trace *trace, __u32 tid, __u64 raw)
{
	const struct name *name = ktrace_names_find(&to_trace(trace)->names, tid, raw);

	return name && name->comm[0] ? name->comm : NULL;
}

__u32 ktrace_trace_pid(const struct ktrace_trace *trace, __u32 tid, __u64 raw)
{
	const struct name *name = ktrace_names_find(&to_trace(trace)->names, tid, raw);

	return name ? name->pid : 0;
}

__u64 ktrace_trace_wall(const struct ktrace_trace *trace, __u64 raw)
{
	const struct segment *seg = ktrace_clock_segment(&to_trace(trace)->clock, raw);
	__u64 mono;

	if (!seg)
		return raw;
	mono = raw < seg->raw ? ktrace_segment_before(seg, raw) : ktrace_segment_ns(seg, raw);
	return mono - seg->mono + seg->wall;
}

void ktrace_trace_clock(const struct ktrace_trace *trace, struct ktrace_clock_info *info)
{
	const struct trace *t = to_trace(trace);

	info->readings = t->clock.readings;
	info->hz = t->clock.hz;
	info->clock = ktrace_meta_fact(t, "trace", "clock");
}
