// SPDX-License-Identifier: GPL-2.0
/* chain.c - what a thread waited for, and what that waited for, back in time */
#include "chain.h"

#include <errno.h>
#include <stdlib.h>

struct chain_thread *chain_thread(struct chain *c, __u64 serial)
{
	struct chain_thread *t = rows_get(&c->threads, &serial);

	if (!t)
		c->error = -ENOMEM;
	return t;
}

void chain_add(struct chain *c, struct chain_thread *t, const struct chain_span *span)
{
	struct chain_span *last = t->nr ? &t->spans[t->nr - 1] : NULL, *bigger;

	/* A thread that runs in several modes runs. */
	if (last && last->status == span->status && last->to == span->from &&
	    span->status != KTRACE_STATUS_WAIT) {
		last->to = span->to;
		return;
	}
	if (t->nr == t->cap) {
		bigger = realloc(t->spans, (t->cap ? 2 * t->cap : 16) * sizeof(*bigger));
		if (!bigger) {
			c->error = -ENOMEM;
			return;
		}
		t->spans = bigger;
		t->cap = t->cap ? 2 * t->cap : 16;
	}
	t->spans[t->nr++] = *span;
}

/* The last span of the thread that begins before @time, NULL = none */
static const struct chain_span *span_before(const struct chain_thread *t, __u64 time)
{
	size_t low = 0, high = t->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (t->spans[middle].from < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &t->spans[low - 1] : NULL;
}

/* Pieces of one span, and of one status but a wait, are one: modes and parts end in between. */
static bool is_more_of(const struct chain_link *link, const struct chain_link *next)
{
	return link->serial == next->serial && link->depth == next->depth &&
	       link->from == next->to && link->span.status == next->span.status &&
	       (link->span.status != KTRACE_STATUS_WAIT || link->span.from == next->span.from);
}

void chain_end(struct chain *c)
{
	if (c->link.from < c->link.to)
		c->found(c->arg, &c->link);
	c->link = (struct chain_link){ 0 };
}

static void add_link(struct chain *c, const struct chain_link *link)
{
	if (link->from >= link->to)
		return;
	if (c->link.from < c->link.to && is_more_of(&c->link, link)) {
		c->link.from = link->from;
		return;
	}
	chain_end(c);
	c->link = *link;
}

/* Which of @waits says what happened until @to? 0: the thread itself */
static __u64 who_caused(const struct chain *c, const struct chain_span *span, __u64 to)
{
	return span->status == KTRACE_STATUS_WAIT && span->to == to &&
	       c->depth <= CHAIN_DEPTH_MAX ? span->waker : 0;
}

/* One step back for the last of @waits. */
static void step(struct chain *c)
{
	struct chain_wait *at = &c->waits[c->depth - 1];
	const struct chain_thread *t = chain_thread(c, at->serial);
	const struct chain_span *span = t ? span_before(t, at->to) : NULL;
	struct chain_link link = { .serial = at->serial, .to = at->to, .depth = c->depth - 1 };
	__u64 cause = 0;

	link.from = at->from;
	if (span && span->to >= at->to) {
		link.span = *span;
		link.from = span->from > at->from ? span->from : at->from;
		cause = who_caused(c, span, at->to);
	} else if (span && span->to > at->from) {
		link.from = span->to;
	}
	at->to = link.from;
	if (cause)
		c->waits[c->depth++] = (struct chain_wait){ cause - 1, link.from, link.to };
	else
		add_link(c, &link);
}

void chain_begin(struct chain *c, __u64 serial, __u64 from, __u64 to)
{
	c->waits[0] = (struct chain_wait){ serial, from, to };
	c->depth = 1;
}

bool chain_goes_before(const struct chain *c, __u64 time)
{
	return c->depth && c->waits[c->depth - 1].to > time && !c->error;
}

void chain_walk(struct chain *c, __u64 since)
{
	while (chain_goes_before(c, since)) {
		if (c->waits[c->depth - 1].to > c->waits[c->depth - 1].from)
			step(c);
		while (c->depth && c->waits[c->depth - 1].to <= c->waits[c->depth - 1].from)
			c->depth--;
	}
}

void chain_clear(struct chain *c)
{
	size_t i;

	for (i = 0; i < c->threads.nr; i++)
		((struct chain_thread *)rows_at(&c->threads, i))->nr = 0;
}

void chain_free(struct chain *c)
{
	size_t i;

	for (i = 0; i < c->threads.nr; i++)
		free(((struct chain_thread *)rows_at(&c->threads, i))->spans);
	rows_free(&c->threads);
}
