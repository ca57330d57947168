// SPDX-License-Identifier: GPL-2.0
/* wakeup_chain.c - finds what a thread waited for, and what that waited for, back in time */
#include "wakeup_chain.h"

#include "base/grow.h"
#include "base/search.h"

#include <errno.h>

struct wakeup_chain_thread *wakeup_chain_thread(struct wakeup_chain *c, __u64 serial)
{
	return hash_table_need(&c->threads, &serial, &c->error);
}

void wakeup_chain_add(struct wakeup_chain *c, struct wakeup_chain_thread *t,
		      const struct wakeup_chain_span *span)
{
	struct wakeup_chain_span *last = t->nr ? &t->spans[t->nr - 1] : NULL;

	/* Merge running spans of different modes. */
	if (last && last->status == span->status && last->to == span->from &&
	    span->status != KTRACE_STATUS_WAIT) {
		last->to = span->to;
		return;
	}
	if (LIST_GROW(t->spans, t->nr, t->cap))
		t->spans[t->nr++] = *span;
	else
		c->error = -ENOMEM;
}

/* Returns the last span of the thread that begins before @time, NULL = none. */
static const struct wakeup_chain_span *span_before(const struct wakeup_chain_thread *t, __u64 time)
{
	const size_t nr = PARTITION_POINT(t->nr, i, t->spans[i].from < time);

	return nr ? &t->spans[nr - 1] : NULL;
}

/*
 * True if @next extends @link backwards: they are pieces of one span, or of one status other than a
 * wait, split where modes or parts of the window end.
 */
static bool is_more_of(const struct wakeup_chain_link *link, const struct wakeup_chain_link *next)
{
	return link->serial == next->serial && link->depth == next->depth &&
	       link->from == next->to && link->span.status == next->span.status &&
	       (link->span.status != KTRACE_STATUS_WAIT || link->span.from == next->span.from);
}

void wakeup_chain_end(struct wakeup_chain *c)
{
	if (c->link.from < c->link.to)
		c->found(c->arg, &c->link);
	c->link = (struct wakeup_chain_link){ 0 };
}

static void add_link(struct wakeup_chain *c, const struct wakeup_chain_link *link)
{
	if (link->from >= link->to)
		return;
	if (c->link.from < c->link.to && is_more_of(&c->link, link)) {
		c->link.from = link->from;
		return;
	}
	wakeup_chain_end(c);
	c->link = *link;
}

/* Returns the waker, + 1, whose chain explains a wait that ends at @to; 0: the thread itself. */
static __u64 who_caused(const struct wakeup_chain *c, const struct wakeup_chain_span *span,
			__u64 to)
{
	return span->status == KTRACE_STATUS_WAIT && span->to == to &&
	       c->depth <= WAKEUP_CHAIN_DEPTH_MAX ? span->waker : 0;
}

/* Takes one step back for the last of @waits. */
static void step(struct wakeup_chain *c)
{
	struct wakeup_chain_wait *at = &c->waits[c->depth - 1];
	const struct wakeup_chain_thread *t = wakeup_chain_thread(c, at->serial);
	const struct wakeup_chain_span *span = t ? span_before(t, at->to) : NULL;
	struct wakeup_chain_link link = { .serial = at->serial, .to = at->to, .depth =
					 c->depth - 1 };
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
		c->waits[c->depth++] = (struct wakeup_chain_wait){ cause - 1, link.from, link.to };
	else
		add_link(c, &link);
}

void wakeup_chain_begin(struct wakeup_chain *c, __u64 serial, __u64 from, __u64 to)
{
	c->waits[0] = (struct wakeup_chain_wait){ serial, from, to };
	c->depth = 1;
}

bool wakeup_chain_goes_before(const struct wakeup_chain *c, __u64 time)
{
	return c->depth && c->waits[c->depth - 1].to > time && !c->error;
}

void wakeup_chain_walk(struct wakeup_chain *c, __u64 since)
{
	while (wakeup_chain_goes_before(c, since)) {
		if (c->waits[c->depth - 1].to > c->waits[c->depth - 1].from)
			step(c);
		while (c->depth && c->waits[c->depth - 1].to <= c->waits[c->depth - 1].from)
			c->depth--;
	}
}

void wakeup_chain_clear(struct wakeup_chain *c)
{
	size_t i;

	for (i = 0; i < c->threads.nr; i++)
		((struct wakeup_chain_thread *)hash_table_at(&c->threads, i))->nr = 0;
}

void wakeup_chain_free(struct wakeup_chain *c)
{
	hash_table_free_with(&c->threads, offsetof(struct wakeup_chain_thread, spans));
}
