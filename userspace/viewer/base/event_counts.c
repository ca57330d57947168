// SPDX-License-Identifier: GPL-2.0
/*
 * event_counts.c - counts events by name
 *
 * Compares names only for a type that is not among the recent ones. The same event in several
 * files, or with several definitions, counts under one name.
 */
#include "event_counts.h"

#include "viewer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int find_name(struct event_counts *c, const struct ktrace_trace_event *e, size_t *i)
{
	char buf[KTRACE_OUT_MIN + 1];
	struct ktrace_out out = { .buf = buf, .cap = KTRACE_OUT_MIN };
	const char *name = buf;
	struct count *counts;

	if (e->type) {
		name = e->type->full_name;
	} else {
		ktrace_event_name(&out, e);
		buf[out.len] = '\0';
	}
	for (*i = 0; *i < c->nr; ++*i)
		if (!strcmp(c->counts[*i].name, name))
			return 0;
	counts = realloc(c->counts, (c->nr + 1) * sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	c->counts = counts;
	counts[c->nr] = (struct count){ .name = strdup(name) };
	if (!counts[c->nr].name)
		return -ENOMEM;
	c->nr++;
	return 0;
}

int event_counts_add(struct event_counts *c, const struct ktrace_trace_event *e)
{
	uintptr_t hash = e->type ? (uintptr_t)e->type >> 4 : e->id;
	struct recent *r = &c->recent[hash % RECENT_NR];
	int ret;

	if (!r->is_used || r->type != e->type || r->kind != e->stream->kind || r->id != e->id) {
		ret = find_name(c, e, &r->i);
		if (ret)
			return ret;
		r->is_used = true;
		r->type = e->type;
		r->kind = e->stream->kind;
		r->id = e->id;
	}
	c->counts[r->i].events++;
	return 0;
}

static int by_events(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return strcmp(x->name, y->name);
}

void event_counts_sort(struct event_counts *c)
{
	if (!c->nr)
		return;
	qsort(c->counts, c->nr, sizeof(*c->counts), by_events);
	/* Sorting has moved the counts. */
	memset(c->recent, 0, sizeof(c->recent));
}

void event_counts_free(struct event_counts *c)
{
	while (c->nr)
		free(c->counts[--c->nr].name);
	free(c->counts);
}
