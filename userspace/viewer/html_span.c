// SPDX-License-Identifier: GPL-2.0
/* html_span.c - pairs of a program's events that begin and end something */
#include "html_span.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SPAN_DEPTH 8u

static const struct {
	const char *begin;
	const char *end;
} pairs[] = {
	{ "begin", "end" },
	{ "start", "stop" },
	{ "enter", "exit" },
	{ "in", "out" },
};

#define PAIR_NR (sizeof(pairs) / sizeof(pairs[0]))

/* struct span_type - what a type of event does; the type is the key */
struct span_type {
	const struct ktrace_event_type *type;
	bool is_begin;
	__u32 state;		/* + 1, 0 = it is none of a span */
};

/* Bytes of @name in front of @word, if it ends with that, and an underscore or nothing before */
static int stem(const char *name, const char *word)
{
	const size_t n = strlen(name), w = strlen(word);

	if (n < w || strcmp(name + n - w, word))
		return -1;
	if (n == w)
		return 0;
	return name[n - w - 1] == '_' ? (int)(n - w - 1) : -1;
}

static bool is_described(const struct ktrace_trace *trace, __u32 kind, const char *full_name)
{
	const struct ktrace_event_type *type;
	__u32 i, nr = ktrace_trace_types(trace, kind);

	for (i = 0; i < nr; i++) {
		type = ktrace_trace_type(trace, kind, i);
		if (type && !strcmp(type->full_name, full_name))
			return true;
	}
	return false;
}

/* Is there "provider:stem_word"? */
static bool has_other(const struct ktrace_trace_event *e, int n, const char *word)
{
	char name[256];

	snprintf(name, sizeof(name), "%s:%.*s%s%s", e->type->provider, n, e->type->name,
		 n ? "_" : "", word);
	return is_described(e->stream->trace, e->stream->kind, name);
}

static void learn(struct html_follow *f, struct span_type *t)
{
	const char *name = t->type->name;
	char text[56];
	size_t i;
	int n;

	for (i = 0; i < PAIR_NR; i++) {
		n = stem(name, pairs[i].begin);
		t->is_begin = n >= 0;
		if (n < 0)
			n = stem(name, pairs[i].end);
		if (n < 0 || !has_other(f->event, n, t->is_begin ? pairs[i].end : pairs[i].begin))
			continue;
		snprintf(text, sizeof(text), "%.*s", n ? n : (int)sizeof(text),
			 n ? name : t->type->provider);
		t->state = html_state_get(f->rows, "span", text);
		return;
	}
}

static void begin_span(struct html_follow *f, __u32 state)
{
	struct html_key key = { HTML_SPAN, 0, f->self, 0 };
	struct html_row *row;
	__u32 i;

	for (; key.depth < SPAN_DEPTH; key.depth++) {
		i = html_row_find(f->rows, &key);
		if (i == HTML_NO_ROW || !html_row_at(f->rows, i)->state)
			break;
	}
	if (key.depth == SPAN_DEPTH)
		return;
	i = html_row_get(f->rows, &key, NULL);
	if (i == HTML_NO_ROW)
		return;
	row = html_row_at(f->rows, i);
	row->thread = f->self;
	snprintf(row->name, sizeof(row->name), "spans %llu", key.depth + 1);
	html_row_enter(f->rows, i, state, f->now);
}

/* The innermost of its name ends, and what is in it, whose end was not seen. */
static void end_span(struct html_follow *f, __u32 state)
{
	struct html_key key = { HTML_SPAN, 0, f->self, SPAN_DEPTH };
	__u32 row[SPAN_DEPTH], i;

	for (i = 0; i < SPAN_DEPTH; i++) {
		key.depth = i;
		row[i] = html_row_find(f->rows, &key);
	}
	while (i && (row[i - 1] == HTML_NO_ROW || html_row_at(f->rows, row[i - 1])->state != state))
		i--;
	for (; i && i <= SPAN_DEPTH; i++)
		html_row_enter(f->rows, row[i - 1], 0, f->now);
}

void html_spans_end(struct html_follow *f, __u32 thread)
{
	struct html_key key = { HTML_SPAN, 0, thread, 0 };

	for (; key.depth < SPAN_DEPTH; key.depth++)
		html_row_enter(f->rows, html_row_find(f->rows, &key), 0, f->now);
}

void html_span_event(struct html_follow *f)
{
	const struct ktrace_event_type *type = f->event->type;
	struct span_type *t;
	size_t before = f->spans.nr;

	if (f->event->stream->kind != KTRACE_CHANNEL_USER || !type || f->self == HTML_NO_ROW)
		return;
	t = rows_get(&f->spans, &type);
	if (!t) {
		f->error = -ENOMEM;
		return;
	}
	if (f->spans.nr > before)
		learn(f, t);
	if (t->state && t->is_begin)
		begin_span(f, t->state);
	else if (t->state)
		end_span(f, t->state);
}

void html_spans_init(struct html_follow *f)
{
	f->spans = (struct rows)ROWS_INIT(struct span_type, type);
}

void html_spans_free(struct html_follow *f)
{
	rows_free(&f->spans);
}
