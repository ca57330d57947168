// SPDX-License-Identifier: GPL-2.0
/* html_span.c - spans: pairs of a program's events that begin and end something */
#include "html_span.h"

#include "events/slices.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SPAN_DEPTH 8u

/* struct span_type - whether a type of event begins or ends a span; the type is the key */
struct span_type {
	const struct ktrace_event_type *type;
	bool is_begin;
	__u32 state;		/* + 1; 0 = it neither begins nor ends a span */
};

/* Finds role and name: NAME of provider:NAME_begin, the provider of provider:begin. */
static void learn(struct html_model *f, struct span_type *t)
{
	const char *full = t->type->full_name, *name = strchr(full, ':');
	char text[56];
	__u32 stem;
	const enum span_role role = slices_role(f->event, &stem, NULL);

	if (role == SPAN_NONE)
		return;
	name = name && name + 1 < full + stem ? name + 1 : full;
	snprintf(text, sizeof(text), "%.*s", (int)(full + stem - 1 - name), name);
	t->is_begin = role == SPAN_BEGIN;
	t->state = html_state_get(f->rows, "span", text);
}

static void begin_span(struct html_model *f, __u32 state)
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

/* Ends the innermost span of this name, and all spans inside it, whose end events are missing. */
static void end_span(struct html_model *f, __u32 state)
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

void html_spans_end(struct html_model *f, __u32 thread)
{
	struct html_key key = { HTML_SPAN, 0, thread, 0 };

	for (; key.depth < SPAN_DEPTH; key.depth++)
		html_row_enter(f->rows, html_row_find(f->rows, &key), 0, f->now);
}

void html_span_event(struct html_model *f)
{
	const struct ktrace_event_type *type = f->event->type;
	struct span_type *t;
	size_t before = f->spans.nr;

	if (f->event->stream->kind != KTRACE_CHANNEL_USER || !type || f->self == HTML_NO_ROW)
		return;
	t = hash_table_get(&f->spans, &type);
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

void html_spans_init(struct html_model *f)
{
	f->spans = (struct hash_table)HASH_TABLE_INIT(struct span_type, type);
}

void html_spans_free(struct html_model *f)
{
	hash_table_free(&f->spans);
}
