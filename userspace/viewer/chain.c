// SPDX-License-Identifier: GPL-2.0
/* chain.c - what a thread waited for, and what that waited for, back in time */
#include "chain.h"

#include <errno.h>
#include <stdlib.h>

#define DEPTH_MAX 64	/* deeper waits are shown as such */

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

static void add_link(struct chain *c, const struct chain_link *link)
{
	struct chain_link *bigger = c->links;

	if (link->from >= link->to)
		return;
	if (c->nr == c->cap) {
		bigger = realloc(c->links, (c->cap ? 2 * c->cap : 64) * sizeof(*bigger));
		if (!bigger) {
			c->error = -ENOMEM;
			return;
		}
		c->links = bigger;
		c->cap = c->cap ? 2 * c->cap : 64;
	}
	c->links[c->nr++] = *link;
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

/* Who is to be asked what happened during @span? 0: the thread itself */
static __u64 who_caused(const struct chain_span *span, int depth)
{
	return span->status == KTRACE_STATUS_WAIT && depth < DEPTH_MAX ? span->waker : 0;
}

/*
 * The thread's part of the chain, from @to back to @from. Recursion is true to the matter
 * here: each wait is a shorter piece of the one around it.
 */
static void walk(struct chain *c, struct chain_link at)
{
	const struct chain_thread *t;
	struct chain_link link;
	__u64 cause;

	while (at.to > at.from && !c->error) {
		t = chain_thread(c, at.serial);
		if (!t)
			return;
		at.span = span_before(t, at.to);
		link = at;
		if (at.span && at.span->to >= at.to) {
			link.from = at.span->from > at.from ? at.span->from : at.from;
			cause = who_caused(at.span, at.depth);
		} else {
			link.from = at.span && at.span->to > at.from ? at.span->to : at.from;
			link.span = NULL;
			cause = 0;
		}
		at.to = link.from;
		if (cause) {
			link.serial = cause - 1;
			link.depth++;
			walk(c, link);
		} else {
			add_link(c, &link);
		}
	}
}

int chain_walk(struct chain *c, __u64 serial, __u64 from, __u64 to)
{
	walk(c, (struct chain_link){ .serial = serial, .from = from, .to = to });
	return c->error;
}

void chain_free(struct chain *c)
{
	size_t i;

	for (i = 0; i < c->threads.nr; i++)
		free(((struct chain_thread *)rows_at(&c->threads, i))->spans);
	rows_free(&c->threads);
	free(c->links);
}
