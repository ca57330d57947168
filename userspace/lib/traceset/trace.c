// SPDX-License-Identifier: LGPL-2.1
/*
 * trace.c - files the sections of a tracefile under their streams
 *
 * META sections are taken in at once; of BLOCK and LOST sections only the offset and the largest
 * stamp are kept. Sections of a stream that META does not announce are checked first, so that a
 * damaged header cannot invent a stream.
 */
#include "trace.h"

#include "base/grow.h"
#include "context.h"
#include "tracefile/by_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* struct listed - a stream, found by its number */
struct listed {
	__u32 id;
	struct stream *stream;
};

/* Returns the stream with this id, NULL = none. */
struct stream *ktrace_trace_find_stream(const struct trace *t, __u32 id)
{
	const struct listed *found = ktrace_find_id(&t->listed, id);

	return found ? found->stream : NULL;
}

static struct stream *make_stream(struct trace *t, __u32 id)
{
	struct stream *s = calloc(1, sizeof(*s));
	struct listed *listed = s ? ktrace_make_id(&t->listed, id, sizeof(*listed)) : NULL;

	if (!listed) {
		free(s);
		return NULL;
	}
	listed->stream = s;
	s->pub.trace = (const struct ktrace_trace *)t;
	s->pub.id = id;
	s->pub.kind = KTRACE_KIND_UNKNOWN;
	s->pub.cpu = -1;
	s->trace = t;
	return s;
}

/* Returns the stream with this id, and makes it if there is none. NULL: no memory. */
struct stream *ktrace_trace_get_stream(struct trace *t, __u32 id)
{
	struct stream *s = ktrace_trace_find_stream(t, id);

	if (s)
		return s;
	if (!LIST_GROW(t->streams, t->stream_nr, t->stream_cap))
		return NULL;
	s = make_stream(t, id);
	if (!s)
		return NULL;
	t->is_unordered |= t->stream_nr && t->streams[t->stream_nr - 1]->pub.id > id;
	t->streams[t->stream_nr++] = s;
	return s;
}

static int by_number(const void *a, const void *b)
{
	const struct stream *x = *(struct stream *const *)a, *y = *(struct stream *const *)b;

	return x->pub.id < y->pub.id ? -1 : x->pub.id > y->pub.id;
}

/* Applies changes once for all sections: there may be as many streams as readings of the clock. */
static void settle(struct trace *t)
{
	size_t i;

	if (t->is_unordered)
		qsort(t->streams, t->stream_nr, sizeof(*t->streams), by_number);
	for (i = 0; t->has_new_clock && i < t->stream_nr; i++)
		t->streams[i]->clock.span = 0;
	t->is_unordered = t->has_new_clock = false;
	ktrace_context_sort(t);
}

/*
 * Loads a section that is not kept, and that ends at @end at the latest. Returns 0 and @body, to be
 * freed, or -errno.
 */
int ktrace_trace_load_once(const struct trace *t, __u64 offset, __u64 end,
			   struct ktrace_section *s, char **body)
{
	int ret = ktrace_reader_header(trace_reader(t, offset), offset, s);
	size_t size = (size_t)s->size;

	if (ret)
		return ret;
	if (!ktrace_section_has_content(s->type) || offset + sizeof(*s) + size > end)
		return -EBADMSG;
	*body = malloc(size + 1);
	if (!*body)
		return -ENOMEM;
	ret = ktrace_reader_load(trace_reader(t, offset), offset, s, *body, size);
	if (ret)
		free(*body);
	return ret;
}

/*
 * True if the text only repeats what the part before said or knew, so that it would be taken twice.
 * The section with the line "part" ends that.
 */
static bool is_repetition(struct trace *t, const char *text, size_t size)
{
	if (size >= 5 && !memcmp(text, "part ", 5))
		t->is_repeated = false;
	return t->is_repeated && !t->has_bad_meta;
}

static int take_meta(struct trace *t, __u64 offset, __u64 end)
{
	struct ktrace_section s;
	char *text;
	int ret = ktrace_trace_load_once(t, offset, end, &s, &text);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		trace_report(t, offset, "damaged META section, skipped");
		t->has_bad_meta = true;
		return 0;
	}
	if (s.type != KTRACE_SECTION_META || !ktrace_section_is_plain(&s))
		trace_report(t, offset, "not a META section, skipped");
	else if (!is_repetition(t, text, (size_t)s.size))
		ktrace_meta_parse(t, offset, text, (size_t)s.size);
	free(text);
	return t->error;
}

/* True if a section of an unknown stream, or of counts, is intact; reports it if not. */
static bool is_intact(struct trace *t, __u64 offset, __u64 end)
{
	struct ktrace_section s;
	char *body;
	int ret = ktrace_trace_load_once(t, offset, end, &s, &body);

	if (ret)
		trace_report(t, offset, "damaged section, skipped");
	else
		free(body);
	return !ret;
}

/* Notes by how much stamps go back from block to block. */
static void note_back(struct stream *s, const struct ktrace_index *e)
{
	const __u64 before = s->entry_nr ? s->entries[s->entry_nr - 1].max_raw : 0;
	const __u64 begin = before > e->first_ts ? before - e->first_ts : 0;
	const __u64 end = e->first_ts > e->last_ts ? e->first_ts - e->last_ts : 0;

	s->back = begin > s->back ? begin : s->back;
	s->back = end > s->back ? end : s->back;
}

static int add_entry(struct stream *s, const struct ktrace_index *e, __u64 end)
{
	bool is_lost = e->type == KTRACE_SECTION_LOST;
	__u64 max = is_lost ? e->first_ts : e->last_ts, room = end - e->offset;

	if (!LIST_GROW(s->entries, s->entry_nr, s->entry_cap))
		return -ENOMEM;
	s->trace->used_nr += !s->entry_nr;
	if (!is_lost)
		note_back(s, e);
	if (s->entry_nr && s->entries[s->entry_nr - 1].max_raw > max)
		max = s->entries[s->entry_nr - 1].max_raw;
	s->entries[s->entry_nr++] = (struct entry){
		.place = e->offset | (is_lost ? ENTRY_LOST : 0),
		.max_raw = max,
		.room = room < ~0u ? (__u32)room : ~0u,
	};
	s->pub.blocks += !is_lost;
	return 0;
}

static int add_to_stream(struct trace *t, const struct ktrace_index *e, __u64 end)
{
	struct stream *s = ktrace_trace_find_stream(t, e->stream);

	if (!s) {
		if (!is_intact(t, e->offset, end))
			return 0;
		trace_report(t, e->offset, "stream without announcement");
		s = ktrace_trace_get_stream(t, e->stream);
	}
	return s ? add_entry(s, e, end) : -ENOMEM;
}

static int add_counts(struct trace *t, const struct ktrace_index *e, __u64 end)
{
	if (!is_intact(t, e->offset, end))
		return 0;
	if (!LIST_RESIZE(t->counts, t->counts_nr + 1))
		return -ENOMEM;
	t->counts[t->counts_nr++] = (struct counts_at){ .offset = e->offset, .end = end };
	return 0;
}

/* Adds a section that has content, whatever its type. */
static int add_section(void *arg, const struct ktrace_index *e, __u64 end)
{
	struct trace *t = arg;

	switch (e->type) {
	case KTRACE_SECTION_META:
		return take_meta(t, e->offset, end);
	case KTRACE_SECTION_BLOCK:
		t->records += e->records;
		return add_to_stream(t, e, end);
	case KTRACE_SECTION_LOST:
		t->has_lost |= e->lost != 0;
		return add_to_stream(t, e, end);
	case KTRACE_SECTION_COUNTS:
		return add_counts(t, e, end);
	}
	return 0;
}

static int walk(struct trace *t, struct reader *part)
{
	struct ktrace_section s;
	struct ktrace_index e;
	__u64 offset;
	int ret, nr = 0;

	while ((ret = ktrace_reader_walk(part, &s, &offset)) == 1) {
		e = (struct ktrace_index){
			.offset = offset, .first_ts = s.first_ts, .last_ts = s.last_ts,
			.stream = s.stream, .type = s.type, .records = s.records, .lost = s.lost,
		};
		ret = add_section(t, &e, part->next);
		if (ret)
			return ret;
		nr += nr < 0x7fffffff;
	}
	return ret ? ret : nr;
}

/* Searches for sections added since the last call. Returns their number, -errno. */
int ktrace_trace_grow(struct trace *t)
{
	struct reader *last = trace_last(t);
	int ret;

	if (last->is_closed)
		return 0;
	ret = ktrace_reader_refresh(last);
	if (!ret)
		ret = walk(t, last);
	settle(t);
	return ret;
}

/* Takes in the sections of @part, which is the last one. Returns 0, -errno. */
int ktrace_trace_load(struct trace *t, struct reader *part)
{
	int ret;

	t->is_repeated = part > t->parts && part[-1].part + 1 == part->part;
	ret = ktrace_reader_index(part, add_section, t);
	if (!ret)
		ret = walk(t, part);
	settle(t);
	if (ret < 0)
		return ret;
	if (!t->clock.nr)
		ktrace_reader_report(part, KTRACE_OFFSET_NONE,
				     "no clock reading: times are raw stamps");
	return 0;
}

static void free_types(struct type_table *table)
{
	__u32 i;

	for (i = 0; i < table->nr; i++)
		ktrace_event_type_free(table->types[i]);
	free(table->types);
}

/* Forgets everything from the parts. */
void ktrace_trace_empty(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->stream_nr; i++)
		ktrace_stream_free(t->streams[i]);
	free(t->streams);
	free(t->counts);
	ktrace_free_ids(t->listed);
	free_types(&t->types[KTRACE_CHANNEL_KERNEL]);
	free_types(&t->types[KTRACE_CHANNEL_USER]);
	ktrace_names_free(&t->names);
	ktrace_maps_free(&t->maps);
	ktrace_context_free(t);
	free(t->interest);
	free(t->ids);
	free(t->processes);
	ktrace_clock_free(&t->clock);
	ktrace_correction_free(&t->correction);
	ktrace_ties_free(&t->ties);
	for (i = 0; i < t->fact_nr; i++) {
		free(t->facts[i].name);
		free(t->facts[i].value);
	}
	for (i = 0; i < t->choice_nr; i++) {
		free(t->choices[i].levels);
		free(t->choices[i].events);
		free(t->choices[i].filters);
		free(t->choices[i].where);
	}
	free(t->choices);
	*t = (struct trace){
		.index = t->index, .parts = t->parts, .part_nr = t->part_nr, .ahead = t->ahead,
	};
}

void ktrace_trace_free(struct trace *t)
{
	size_t i;

	if (t->is_lent) {
		ktrace_trace_free_lent(t);
		return;
	}
	ktrace_trace_empty(t);
	for (i = 0; i < t->part_nr; i++)
		ktrace_reader_close(&t->parts[i]);
	free(t->parts);
	free(t);
}
