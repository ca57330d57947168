// SPDX-License-Identifier: LGPL-2.1
/*
 * fragment.c - joins the fragments of an event
 *
 * An event too long for a block is in the file as fragments of one thread, on several streams if
 * the thread migrates. It is delivered with its last fragment. The fragments of an event follow
 * each other in their thread: the thread's next record that is not a fragment ends the event. So
 * does a fragment after a place where blocks of such a stream are missing, because it may belong to
 * the next event. The bytes so far are then delivered and flagged, with the time of that record, so
 * that time does not go back; likewise when too many events are pending, and at the end.
 *
 * A seek reads what its sections have before the requested time, but not what is on other streams
 * before theirs. An event that began where not everything was read may have ended there, and
 * another one begun: such an event is never completed and delivered.
 *
 * Memory grows with the bytes read, never with the length claimed.
 */
#include "fragment.h"

#include "base/grow.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_thread(const struct ktrace_trace_event *a,
			   const struct ktrace_trace_event *b)
{
	return a->tid == b->tid && a->stream->trace == b->stream->trace &&
	       a->stream->kind == b->stream->kind;
}

/* Returns the pending event of the thread of @e, of which there is at most one. */
static struct pending *find(struct fragments *f, const struct ktrace_trace_event *e)
{
	__u32 i;

	for (i = 0; i < f->nr; i++)
		if (is_same_thread(&f->pending[i].event, e))
			return &f->pending[i];
	return NULL;
}

/* True if blocks of any such stream are missing between two fragments. */
static bool has_gap(const struct ktrace_trace_event *from, const struct ktrace_trace_event *to)
{
	const struct stream *s;

	for (s = ((const struct trace *)to->stream->trace)->torn; s; s = s->next_torn)
		if (s->pub.kind == to->stream->kind && from->raw < s->gap.behind &&
		    to->raw > s->gap.before)
			return true;
	return false;
}

/* Hands the event of @p over to the caller and frees @p. */
static void take(struct fragments *f, struct pending *p, struct ktrace_trace_event *e)
{
	*e = p->event;
	e->payload = p->buf;
	if (e->len < p->total)
		e->flags |= KTRACE_EVENT_INCOMPLETE;
	free(p->runs);
	free(f->done);
	f->done = p->buf;
	f->nr--;
	memmove(p, p + 1, (size_t)(f->pending + f->nr - p) * sizeof(*p));
}

/*
 * True if a seek reads everything after @e. Then neither earlier events of the streams matter, nor
 * blocks missing there.
 */
static bool is_all_read(const struct ktrace_trace_event *e)
{
	const struct trace *t = (const struct trace *)e->stream->trace;
	const struct stream *s;
	size_t i;

	for (i = 0; i < t->stream_nr; i++) {
		s = t->streams[i];
		if (&s->pub != e->stream && s->pub.kind == e->stream->kind && s->sought &&
		    (s->sought_raw >= e->raw || s->entries[s->sought - 1].max_raw >= e->raw))
			return false;
	}
	return true;
}

/* Notes whether a seek to between the fragments so far and @e finds the event. */
static void note_scattered(struct pending *p, const struct ktrace_trace_event *e)
{
	const struct stream *s = (const struct stream *)e->stream;
	const struct run *last = p->run_nr ? &p->runs[p->run_nr - 1] : NULL;

	if (last && last->stream == s && last->entry == s->next - 1)
		return;
	p->sections++;
	if (last && (last->stream != s || s->next - 1 - last->entry != 1 ||
		     stream_now_off(s) != s->opening || p->sections > SECTIONS_BACK))
		p->is_scattered = true;
}

/* Notes where fragment @e is: it is its stream's current event. */
static int add_run(struct pending *p, const struct ktrace_trace_event *e)
{
	struct stream *s = (struct stream *)e->stream;
	struct run *last = p->run_nr ? &p->runs[p->run_nr - 1] : NULL;

	if (last && last->stream == s && s->next - 1 - last->entry <= 1) {
		last->entry = s->next - 1;
		last->nr++;
		return 0;
	}
	if (!LIST_GROW(p->runs, p->run_nr, p->run_cap))
		return -ENOMEM;
	p->runs[p->run_nr++] = (struct run){
		.stream = s, .section = entry_offset(&s->entries[s->next - 1]),
		.entry = s->next - 1, .off = stream_now_off(s), .nr = 1,
	};
	return 0;
}

/* Adds the bytes of fragment @e, up to the event's length. */
static int append(struct pending *p, const struct ktrace_trace_event *e)
{
	__u32 have = p->event.len;
	__u64 left = p->total - have;
	__u32 n = e->len < left ? e->len : (__u32)left;

	if (!LIST_GROW(p->buf, (size_t)have + n, p->cap))
		return -ENOMEM;
	memcpy(p->buf + have, e->payload, n);
	p->event = *e;
	p->event.len = have + n;
	note_scattered(p, e);
	return add_run(p, e);
}

/*
 * Begins to collect @e, whose payload starts with the total length. The caller has checked for
 * room.
 */
static int add_first(struct fragments *f, const struct ktrace_trace_event *e)
{
	struct pending *p = &f->pending[f->nr];
	struct ktrace_trace_event bytes = *e;
	__u32 total;
	int ret;

	memcpy(&total, e->payload, sizeof(total));
	bytes.payload += sizeof(total);
	bytes.len -= (__u32)sizeof(total);
	*p = (struct pending){
		.total = total, .begin = e->time, .is_unsure = f->is_skipping && !is_all_read(e),
	};
	ret = append(p, &bytes);
	if (ret) {
		free(p->buf);
		return ret;
	}
	f->nr++;
	return 0;
}

static int add_next(struct fragments *f, struct ktrace_trace_event *e)
{
	struct pending *p = find(f, e);
	int ret;

	if (!p) {
		e->flags |= KTRACE_EVENT_NO_START | KTRACE_EVENT_INCOMPLETE;
		return !f->is_skipping;
	}
	ret = append(p, e);
	if (ret)
		return ret;
	if (p->event.len < p->total)
		return 0;
	f->scattered += p->is_scattered;
	take(f, p, e);
	return 1;
}

/*
 * True if record @e, not taken in yet, ends a pending event without being its next fragment, or if
 * there is no room for it. Then the pending event is in @e.
 */
bool ktrace_fragment_end(struct fragments *f, struct ktrace_trace_event *e, __u32 rec_flags)
{
	struct pending *p = find(f, e);
	bool is_first = rec_flags & KTRACE_REC_FRAG_FIRST;
	__u64 time = e->time;

	if (p && !is_first && (rec_flags & KTRACE_REC_FRAG_NEXT) && e->id == p->event.id &&
	    !has_gap(&p->event, e))
		return false;
	if (!p && is_first && f->nr == PENDING_MAX)
		p = &f->pending[0];
	if (!p)
		return false;
	take(f, p, e);
	e->time = time;
	return true;
}

/*
 * Takes in a fragment that ends no other event: see ktrace_fragment_end(). Returns 1 if @e is to be
 * delivered, which is the whole event after its last fragment; 0 if not; -ENOMEM.
 */
int ktrace_fragment_add(struct fragments *f, struct ktrace_trace_event *e, __u32 rec_flags)
{
	if (!(rec_flags & KTRACE_REC_FRAG_FIRST))
		return add_next(f, e);
	if (e->len < sizeof(__u32)) {
		e->flags |= KTRACE_EVENT_INCOMPLETE;
		return 1;
	}
	return add_first(f, e);
}

/* Takes out the oldest pending event, incomplete as it is; @end is the time of the last event. */
bool ktrace_fragment_take_oldest(struct fragments *f, __u64 end, struct ktrace_trace_event *e)
{
	if (!f->nr)
		return false;
	take(f, &f->pending[0], e);
	e->time = e->time > end ? e->time : end;
	return true;
}

/* Drops the unsure events. Returns whether there were any; then the earliest began at @begin. */
bool ktrace_fragment_drop_unsure(struct fragments *f, __u64 *begin)
{
	bool any = false;
	__u32 i, nr = 0;

	for (i = 0; i < f->nr; i++) {
		const struct pending *p = &f->pending[i];

		if (!p->is_unsure) {
			f->pending[nr++] = *p;
			continue;
		}
		*begin = any && *begin < p->begin ? *begin : p->begin;
		any = true;
		free(p->buf);
		free(p->runs);
	}
	f->nr = nr;
	return any;
}

void ktrace_fragment_drop_all(struct fragments *f)
{
	while (f->nr) {
		free(f->pending[--f->nr].buf);
		free(f->pending[f->nr].runs);
	}
	free(f->done);
	f->done = NULL;
}
