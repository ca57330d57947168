// SPDX-License-Identifier: LGPL-2.1
/* slices.c - pairs events that begin and end a slice */
#include "slices.h"

#include "base/grow.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *begin;
	const char *end;
} pairs[] = {
	{ "begin", "end" }, { "in", "out" }, { "enter", "exit" }, { "entry", "exit" },
	{ "start", "end" }, { "start", "stop" },
};

#define PAIR_NR (sizeof(pairs) / sizeof(pairs[0]))

/*
 * struct span_type - role of an event type, the key. @stem: bytes of its name before the last word
 */
struct span_type {
	const struct ktrace_event_type *type;
	const struct ktrace_event_type *begin;
	enum span_role role;
	__u32 stem;
};

/**
 * struct span_track - open slices of a track
 * @track:	key
 * @open:	their types, the outermost first
 * @depth:	how many
 * @cap:	room in @open
 * @deeper:	how many more are open, of which nothing else is known
 */
struct span_track {
	__u64 track;
	const struct ktrace_event_type **open;
	__u32 depth;
	__u32 cap;
	__u64 deeper;
};

void slices_init(struct slices *s)
{
	s->types = (struct hash_table)HASH_TABLE_INIT(struct span_type, type);
	s->tracks = (struct hash_table)HASH_TABLE_INIT(struct span_track, track);
	s->deeper = 0;
}

void slices_free(struct slices *s)
{
	hash_table_free(&s->types);
	hash_table_free_with(&s->tracks, offsetof(struct span_track, open));
}

static bool is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Returns the bytes before the last word of "provider:name" if that is @word; 0: it is not. */
static size_t stem_of(const char *name, const char *word)
{
	const size_t n = strlen(name), w = strlen(word);

	if (n <= w || strcmp(name + n - w, word) || is_letter_or_digit(name[n - w - 1]))
		return 0;
	return n - w;
}

/* Finds the type in the same stream whose name is @stem bytes of the event's name and @word. */
static const struct ktrace_event_type *find_partner(const struct ktrace_trace_event *e, size_t stem,
						    const char *word)
{
	const struct ktrace_event_type *type;
	const __u32 nr = ktrace_trace_types(e->stream->trace, e->stream->kind);
	__u32 id;

	for (id = 0; id < nr; id++) {
		type = ktrace_trace_type(e->stream->trace, e->stream->kind, id);
		if (type && stem_of(type->full_name, word) == stem &&
		    !strncmp(type->full_name, e->type->full_name, stem))
			return type;
	}
	return NULL;
}

enum span_role slices_role(const struct ktrace_trace_event *e, __u32 *stem,
			   const struct ktrace_event_type **begin)
{
	const struct ktrace_event_type *partner;
	size_t i, begins, ends;

	for (i = 0; i < PAIR_NR; i++) {
		begins = stem_of(e->type->full_name, pairs[i].begin);
		ends = stem_of(e->type->full_name, pairs[i].end);
		if (!begins && !ends)
			continue;
		partner = find_partner(e, begins ? begins : ends,
				       begins ? pairs[i].end : pairs[i].begin);
		if (!partner)
			continue;
		*stem = (__u32)(begins ? begins : ends);
		if (begin)
			*begin = begins ? e->type : partner;
		return begins ? SPAN_BEGIN : SPAN_END;
	}
	return SPAN_NONE;
}

static struct span_type *type_of(struct slices *s, const struct ktrace_trace_event *e)
{
	const size_t nr = s->types.nr;
	struct span_type *t = hash_table_get(&s->types, &e->type);

	if (t && s->types.nr != nr)
		t->role = slices_role(e, &t->stem, &t->begin);
	return t;
}

/* Returns how many slices are open above the one that ends; -1: that one is not open. */
static int find_open(const struct span_track *track, const struct ktrace_event_type *begin)
{
	__u32 i;

	for (i = track->depth; i; i--)
		if (track->open[i - 1] == begin)
			return (int)(track->depth - i);
	return -1;
}

/* Return: 0, -ENOMEM. */
static int begin_span(struct slices *s, struct span_track *open, const struct span_type *t,
		      enum span_role *out)
{
	if (open->depth == SLICES_DEPTH) {
		open->deeper++;
		s->deeper++;
		return 0;
	}
	if (!LIST_GROW(open->open, open->depth, open->cap))
		return -ENOMEM;
	open->open[open->depth++] = t->begin;
	*out = SPAN_BEGIN;
	return 0;
}

int slices_take(struct slices *s, const struct ktrace_trace_event *e, __u64 track,
		enum span_role *out)
{
	const struct span_type *t = type_of(s, e);
	struct span_track *open;
	int above;

	*out = SPAN_NONE;
	if (!t)
		return -ENOMEM;
	if (t->role == SPAN_NONE)
		return 0;
	open = hash_table_get(&s->tracks, &track);
	if (!open)
		return -ENOMEM;
	if (t->role == SPAN_BEGIN)
		return begin_span(s, open, t, out);
	if (open->deeper) {
		open->deeper--;
		return 0;
	}
	above = find_open(open, t->begin);
	if (above < 0)
		return 0;
	open->depth -= (__u32)above + 1;
	*out = SPAN_END;
	return above;
}

__u32 slices_depth(const struct slices *s, __u64 track)
{
	const struct span_track *open = hash_table_find(&s->tracks, &track);

	return open ? open->depth : 0;
}

void slices_put_name(struct slices *s, struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	const struct span_type *t = type_of(s, e);
	struct ktrace_values it;
	struct ktrace_value v;
	const char *name;

	if (!t || t->role == SPAN_NONE) {
		ktrace_out_str(out, e->type->full_name);
		return;
	}
	/* Without the character before the last word */
	ktrace_out_bytes(out, e->type->full_name, t->stem - 1);
	ktrace_values_init(&it, e->type, e->payload, e->len);
	if (e->type->full_name[t->stem - 1] != ':' || !ktrace_values_next(&it, &v) || !v.count)
		return;
	name = ktrace_value_marked(&v);
	if (name) {
		ktrace_out_char(out, ':');
		ktrace_out_str(out, name);
	}
}

__s64 event_integer(const struct ktrace_trace_event *e, const char *name)
{
	struct ktrace_values it;
	struct ktrace_value v;

	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v))
		if (!strcmp(v.field->name, name))
			return v.count ? ktrace_value_s64(&v, 0) : 0;
	return 0;
}
