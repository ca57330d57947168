// SPDX-License-Identifier: GPL-2.0
/*
 * spool.c - sorts events by time
 *
 * Packets lie in the order in which the service got them, chunk by chunk; the streams of a
 * tracefile have their events in the order of time.
 */
#include "spool.h"

#include "viewer.h"

#include <errno.h>
#include <stdlib.h>

int spool_add(struct spool *s, struct spooled e, const void *data)
{
	struct spooled *new;
	size_t cap;

	if (s->nr == s->cap) {
		cap = s->cap ? 2 * s->cap : 1024;
		new = realloc(s->events, cap * sizeof(*new));
		if (!new)
			return -ENOMEM;
		s->events = new;
		s->cap = cap;
	}
	s->payloads.flush = output_grow;
	e.at = s->payloads.len;
	e.order = s->nr;
	if (e.len)
		ktrace_out_bytes(&s->payloads, data, e.len);
	s->events[s->nr++] = e;
	return s->payloads.error;
}

static int compare(const void *a, const void *b)
{
	const struct spooled *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int write_one(const struct spool *s, const struct spooled *e, struct foreign *f)
{
	const struct ktrace_lost lost = { .count[KTRACE_LOST_FULL] = 1 };
	const struct foreign_event event = {
		.type = e->type, .cpu = -1, .ts = e->ts, .tid = e->tid, .pid = e->pid,
		.comm = *e->comm ? e->comm : NULL, .len = e->len,
		.data = e->len ? s->payloads.buf + e->at : NULL,
	};

	if (!e->type)
		return foreign_lost(f, KTRACE_CHANNEL_USER, -1, e->ts, &lost);
	return foreign_put(f, &event);
}

int spool_write(struct spool *s, struct foreign *f)
{
	int ret = 0;

	if (s->nr)
		qsort(s->events, s->nr, sizeof(*s->events), compare);
	for (size_t i = 0; i < s->nr && !ret; i++)
		ret = write_one(s, &s->events[i], f);
	return ret;
}

void spool_free(struct spool *s)
{
	free(s->events);
	free(s->payloads.buf);
	*s = (struct spool){ 0 };
}
