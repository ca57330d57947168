// SPDX-License-Identifier: LGPL-2.1
/*
 * position.c - saves where a traceset is, and goes back there
 *
 * The state of reading is the places of all streams and the pending fragments. Of the fragments,
 * only the places are kept: they are read again, from no more sections than they are in, however
 * long ago the first of them came.
 *
 * Going to a position first checks all that can be checked without reading. If reading then shows
 * an error, the traceset goes back to where it was.
 */
#include "position.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

int ktrace_position_new(struct ktrace_position **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

static void clear(struct ktrace_position *pos)
{
	free(pos->traces);
	free(pos->places);
	free(pos->pendings);
	free(pos->runs);
	memset(pos, 0, sizeof(*pos));
}

void ktrace_position_free(struct ktrace_position *pos)
{
	if (pos)
		clear(pos);
	free(pos);
}

/* Moves @from to @to; afterwards @from is not set. */
void ktrace_position_move(struct ktrace_position *to, struct ktrace_position *from)
{
	clear(to);
	*to = *from;
	memset(from, 0, sizeof(*from));
}

/* Makes room for as much as @sizes says in @pos, which is empty. Returns 0, -ENOMEM. */
int ktrace_position_reserve(struct ktrace_position *pos, const struct ktrace_position *sizes)
{
	pos->traces = calloc(sizes->trace_nr + 1, sizeof(*pos->traces));
	pos->places = calloc(sizes->place_nr + 1, sizeof(*pos->places));
	pos->pendings = calloc(sizes->pending_nr + 1, sizeof(*pos->pendings));
	pos->runs = calloc(sizes->run_nr + 1, sizeof(*pos->runs));
	if (pos->traces && pos->places && pos->pendings && pos->runs)
		return 0;
	clear(pos);
	return -ENOMEM;
}

int ktrace_position_copy(struct ktrace_position *to, const struct ktrace_position *from)
{
	struct ktrace_position copy = { 0 };
	int ret = from->is_set ? ktrace_position_reserve(&copy, from) : 0;

	if (ret || to == from)
		goto out;
	if (from->is_set) {
		memcpy(copy.traces, from->traces, from->trace_nr * sizeof(*copy.traces));
		memcpy(copy.places, from->places, from->place_nr * sizeof(*copy.places));
		memcpy(copy.pendings, from->pendings, from->pending_nr * sizeof(*copy.pendings));
		memcpy(copy.runs, from->runs, from->run_nr * sizeof(*copy.runs));
		copy.trace_nr = from->trace_nr;
		copy.place_nr = from->place_nr;
		copy.pending_nr = from->pending_nr;
		copy.run_nr = from->run_nr;
		copy.time = from->time;
		copy.end = from->end;
		copy.is_set = true;
	}
	ktrace_position_move(to, &copy);
out:
	clear(&copy);
	return ret;
}

bool ktrace_position_is_set(const struct ktrace_position *pos)
{
	return pos->is_set;
}

__u64 ktrace_position_time(const struct ktrace_position *pos)
{
	return pos->is_set ? pos->time : KTRACE_TIME_NONE;
}

static int by_stream(const struct place *p, __u32 trace, __u32 id)
{
	if (p->trace != trace)
		return p->trace < trace ? -1 : 1;
	return p->id < id ? -1 : p->id > id;
}

/* True if the stream has begun. A missing stream counts as not begun. */
static bool has_begun(const struct place *p)
{
	return p->section || p->off != PLACE_END;
}

static int compare_places(const struct ktrace_position *a, const struct ktrace_position *b)
{
	const struct place *p = a->places, *q = b->places;
	const struct place *p_end = p + a->place_nr, *q_end = q + b->place_nr;
	int order;

	while (p < p_end || q < q_end) {
		order = p == p_end ? 1 : q == q_end ? -1 : by_stream(p, q->trace, q->id);
		if (order < 0 && has_begun(p))
			return 1;
		if (order > 0 && has_begun(q))
			return -1;
		if (!order && place_order(p->section, p->off, q))
			return place_order(p->section, p->off, q);
		p += order <= 0;
		q += order >= 0;
	}
	return 0;
}

int ktrace_position_compare(const struct ktrace_position *a, const struct ktrace_position *b)
{
	int order;

	if (!a->is_set || !b->is_set)
		return b->is_set - a->is_set;
	order = compare_places(a, b);
	if (order)
		return order;
	/* One record, or the end, may release several pending events. */
	return a->pending_nr > b->pending_nr ? -1 : a->pending_nr < b->pending_nr;
}

/* Returns the place of a stream; NULL: the position does not have it. */
const struct place *ktrace_position_find(const struct ktrace_position *pos,
					 const struct stream *s)
{
	const __u32 trace = (__u32)s->trace->index, id = s->pub.id;
	const size_t at = PARTITION_POINT(pos->place_nr, i,
					  by_stream(&pos->places[i], trace, id) < 0);
	const struct place *p = &pos->places[at];

	return at < pos->place_nr && !by_stream(p, trace, id) ? p : NULL;
}

/* Returns the time of the next event; pending events come when nothing else is left. */
__u64 ktrace_set_time(const struct ktrace_traceset *set)
{
	const struct stream *top = merge_top(&set->merge);
	const struct fragments *f = &set->fragments;

	if (top)
		return top->now.time;
	if (!f->nr || ktrace_set_may_grow(set))
		return KTRACE_TIME_NONE;
	return f->pending[0].event.time > set->end ? f->pending[0].event.time : set->end;
}

static void save_pendings(const struct fragments *f, struct ktrace_position *pos)
{
	const struct pending *p;
	const struct run *r;
	size_t i;

	for (p = f->pending; p < f->pending + f->nr; p++) {
		pos->pendings[pos->pending_nr++] = (struct pending_mark){
			.run_nr = (__u32)p->run_nr,
			.is_backwards = !!(p->event.flags & KTRACE_EVENT_BACKWARDS),
		};
		for (i = 0; i < p->run_nr; i++) {
			r = &p->runs[i];
			pos->runs[pos->run_nr++] = (struct run_mark){
				.trace = (__u32)r->stream->trace->index, .id = r->stream->pub.id,
				.section = r->section, .off = r->off, .nr = r->nr,
			};
		}
	}
}

static void save_trace(const struct trace *t, struct ktrace_position *pos)
{
	struct trace_mark *mark = &pos->traces[pos->trace_nr++];
	size_t i;

	memcpy(mark->uuid, trace_last(t)->uuid, sizeof(mark->uuid));
	mark->seen = trace_last(t)->next;
	for (i = 0; i < t->stream_nr; i++)
		if (t->streams[i]->entry_nr)
			ktrace_place_get(t->streams[i], &pos->places[pos->place_nr++]);
}

int ktrace_position_save(struct ktrace_traceset *set, struct ktrace_position *pos)
{
	struct ktrace_position sizes = { .trace_nr = set->trace_nr }, saved = { 0 };
	size_t i;
	int ret = ktrace_set_settle(set);

	for (i = 0; i < set->trace_nr; i++)
		sizes.place_nr += set->traces[i]->used_nr;
	sizes.pending_nr = set->fragments.nr;
	for (i = 0; i < set->fragments.nr; i++)
		sizes.run_nr += set->fragments.pending[i].run_nr;
	if (!ret)
		ret = ktrace_position_reserve(&saved, &sizes);
	if (ret)
		return ret;
	for (i = 0; i < set->trace_nr; i++)
		save_trace(set->traces[i], &saved);
	save_pendings(&set->fragments, &saved);
	saved.time = ktrace_set_time(set);
	saved.end = set->end;
	saved.is_set = true;
	ktrace_position_move(pos, &saved);
	return 0;
}

static struct stream *find_stream(const struct ktrace_traceset *set, __u32 trace, __u32 id)
{
	return trace < set->trace_nr ? ktrace_trace_find_stream(set->traces[trace], id) : NULL;
}

/* Checks that there is such a section. The position may be from a later state of a growing file. */
static int check_section(const struct ktrace_traceset *set, const struct ktrace_position *pos,
			 const struct place *p)
{
	const struct stream *s = find_stream(set, p->trace, p->id);
	const struct reader *r;

	if (p->trace >= set->trace_nr)
		return -EINVAL;
	if (s && (!p->section || ktrace_place_entry(s, p->section) >= 0))
		return 0;
	r = trace_last(set->traces[p->trace]);
	return !r->is_closed && pos->traces[p->trace].seen > r->next ? -EAGAIN : -EINVAL;
}

/* A stream that the position does not have must be newer than the position. */
static int check_trace(const struct trace *t, const struct ktrace_position *pos)
{
	const struct trace_mark *mark = &pos->traces[t->index];
	const struct stream *s;
	size_t i;

	if (memcmp(mark->uuid, trace_last(t)->uuid, sizeof(mark->uuid)))
		return -EINVAL;
	for (i = 0; i < t->stream_nr; i++) {
		s = t->streams[i];
		if (s->entry_nr && entry_offset(&s->entries[0]) < mark->seen &&
		    !ktrace_position_find(pos, s))
			return -EINVAL;
	}
	return 0;
}

/* Checks whether @pos can be a position of @set. Returns 0, -EINVAL, -EAGAIN. */
int ktrace_position_check(const struct ktrace_traceset *set, const struct ktrace_position *pos)
{
	int ret = set->trace_nr == pos->trace_nr ? 0 : -EINVAL;
	size_t i;

	for (i = 0; i < set->trace_nr && !ret; i++)
		ret = check_trace(set->traces[i], pos);
	for (i = 0; i < pos->place_nr && !ret; i++)
		ret = check_section(set, pos, &pos->places[i]);
	for (i = 0; i < pos->run_nr && !ret; i++)
		ret = check_section(set, pos, &(struct place){
			.trace = pos->runs[i].trace, .id = pos->runs[i].id,
			.section = pos->runs[i].section,
		});
	return ret;
}

/* True if the current event of @s is a fragment that continues the event pending last. */
static bool is_next_fragment(const struct ktrace_traceset *set, const struct stream *s)
{
	const struct fragments *f = &set->fragments;
	const struct ktrace_trace_event *e = &f->pending[f->nr - 1].event;
	__u32 frag = s->now.tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT);

	return frag == KTRACE_REC_FRAG_NEXT && s->now.id == e->id &&
	       (s->now.tid_flags & KTRACE_TID_MASK) == e->tid && s->pub.kind == e->stream->kind &&
	       s->trace == ((const struct stream *)e->stream)->trace;
}

/* Reads the fragments of a run again. */
static int take_run(struct ktrace_traceset *set, const struct run_mark *r, bool is_first)
{
	struct place at = { .section = r->section, .off = r->off };
	struct stream *s = find_stream(set, r->trace, r->id);
	__u32 left = r->nr;
	int ret;

	memset(at.lost, 0xff, sizeof(at.lost));	/* suppresses losses on the way */
	ret = r->off == PLACE_END || !left ? -EBADMSG : ktrace_place_put(s, &at);
	while (!ret && left) {
		if (is_first ? !(s->now.tid_flags & KTRACE_REC_FRAG_FIRST) :
			       !is_next_fragment(set, s))
			return -EBADMSG;
		ret = ktrace_set_take_fragment(set, s);
		is_first = false;
		if (ret || !--left)
			break;
		do
			ret = stream_next(s);
		while (ret == 1 && !is_next_fragment(set, s));
		ret = ret == 1 ? 0 : ret ? ret : -EBADMSG;
	}
	return ret;
}

static int take_pendings(struct ktrace_traceset *set, const struct ktrace_position *pos)
{
	const struct run_mark *run = pos->runs;
	struct fragments *f = &set->fragments;
	const struct pending_mark *p;
	__u32 i;
	int ret;

	for (p = pos->pendings; p < pos->pendings + pos->pending_nr; p++) {
		if (f->nr == PENDING_MAX || f->nr != (size_t)(p - pos->pendings) || !p->run_nr)
			return -EBADMSG;
		for (i = 0; i < p->run_nr; i++) {
			ret = take_run(set, run++, !i);
			if (ret)
				return ret;
		}
		if (p->is_backwards)
			f->pending[f->nr - 1].event.flags |= KTRACE_EVENT_BACKWARDS;
	}
	return f->nr == pos->pending_nr ? 0 : -EBADMSG;
}

static int apply(struct ktrace_traceset *set, const struct ktrace_position *pos)
{
	static const struct place beginning = { .off = PLACE_END };
	const struct place *p;
	int ret;
	size_t i;

	ktrace_fragment_drop_all(&set->fragments);
	ret = take_pendings(set, pos);
	for (i = 0; i < set->merge.nr && !ret; i++) {
		p = ktrace_position_find(pos, set->merge.streams[i]);
		ret = ktrace_place_put(set->merge.streams[i], p ? p : &beginning);
	}
	set->end = pos->end;
	ktrace_merge_rebuild(&set->merge);
	return ret;
}

int ktrace_traceset_seek_position(struct ktrace_traceset *set, const struct ktrace_position *pos)
{
	struct ktrace_position here = { 0 };
	int ret;

	if (!pos->is_set)
		return 0;
	ret = ktrace_position_save(set, &here);
	if (!ret)
		ret = ktrace_merge_init(&set->merge, set->traces, set->trace_nr);
	if (!ret)
		ret = ktrace_position_check(set, pos);
	if (!ret) {
		ret = apply(set, pos);
		if (ret)
			apply(set, &here);
	}
	clear(&here);
	return ret;
}
