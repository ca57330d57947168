// SPDX-License-Identifier: GPL-2.0
/* flush.c - asks producers for all that they have, and waits until they have given it */
#include "flush.h"

#include <stdlib.h>

#include "commit.h"
#include "instance.h"
#include "own.h"

#define TIMEOUT_MS 5000
#define PENDING_MAX 1000

struct flush {
	TAILQ_ENTRY(flush) link;
	struct session *session;
	uint64_t id;
	uint64_t flags;
	bool is_refused;	/* not asked of anybody */
	struct timer timer;	/* time-out; at once when the last has acknowledged */
	flush_done *done;
	void *arg;
	size_t waiting_nr;
	struct producer *waiting[];
};

static void free_flush(struct flush *f)
{
	timer_stop(&f->session->service->timers, &f->timer);
	TAILQ_REMOVE(&f->session->flushes, f, link);
	f->session->flush_nr--;
	free(f);
}

/* Nothing comes after it: who was late is worth a packet. */
static bool is_last(const struct flush *f)
{
	uint64_t reason = f->flags & FLUSH_REASON;

	return reason == FLUSH_STOP || reason == FLUSH_CLONE;
}

static void over(void *arg)
{
	struct flush *f = arg;
	struct session *session = f->session;
	bool is_done = !f->waiting_nr && !f->is_refused;
	flush_done *done = f->done;
	void *who = f->arg;
	struct producer *p;

	if (!f->is_refused) {
		/* Whether or not they acknowledged: what they have written is taken. */
		TAILQ_FOREACH(p, &session->service->producers, link)
			commit_scrape(session, p);
		own_event(session, OWN_ALL_FLUSHED, true);
		if (!is_done && is_last(f))
			own_slow_flush(session, f->waiting, f->waiting_nr);
		session->flush_counts.succeeded += is_done;
		session->flush_counts.failed += !is_done;
	}
	free_flush(f);
	if (done)
		done(session, who, is_done);
}

static size_t count_producers(const struct session *session)
{
	const struct producer *p;
	size_t nr = 0;

	TAILQ_FOREACH(p, &session->service->producers, link)
		nr++;
	return nr;
}

/* One command a producer, for all of its instances. */
static void ask(struct flush *f, struct producer *p)
{
	const struct instance *i;
	uint64_t *ids;
	size_t nr = 0;

	TAILQ_FOREACH(i, &f->session->instances, link)
		nr += i->producer == p && i->is_flushed;
	ids = nr ? calloc(nr, sizeof(*ids)) : NULL;
	if (!ids)
		return;
	nr = 0;
	TAILQ_FOREACH(i, &f->session->instances, link)
		if (i->producer == p && i->is_flushed)
			ids[nr++] = i->id;
	producer_flush(p, ids, nr, f->id, f->flags);
	f->waiting[f->waiting_nr++] = p;
	free(ids);
}

void flush_start(struct session *session, uint32_t timeout_ms, uint64_t flags, flush_done *done,
		 void *arg)
{
	size_t nr = count_producers(session);
	struct flush *f = calloc(1, sizeof(*f) + nr * sizeof(*f->waiting));
	struct producer *p;

	if (!f) {
		if (done)
			done(NULL, arg, false);
		return;
	}
	*f = (struct flush) { .session = session, .flags = flags, .done = done, .arg = arg,
			      .id = ++session->service->last_flush };
	f->timer = (struct timer) { .fire = over, .arg = f };
	f->is_refused = session->state != SESSION_STARTED || session->flush_nr >= PENDING_MAX;
	TAILQ_INSERT_TAIL(&session->flushes, f, link);
	session->flush_nr++;
	if (!f->is_refused) {
		session->flush_counts.requested++;
		own_event(session, OWN_FLUSH_STARTED, false);
		TAILQ_FOREACH(p, &session->service->producers, link)
			ask(f, p);
	}
	if (!timeout_ms)
		timeout_ms = session->config->flush_timeout_ms ?: TIMEOUT_MS;
	timer_set(&session->service->timers, &f->timer, f->waiting_nr ? timeout_ms : 0);
}

static void acknowledged(struct flush *f, const struct producer *p)
{
	for (size_t i = 0; i < f->waiting_nr; i++) {
		if (f->waiting[i] != p)
			continue;
		f->waiting[i] = f->waiting[--f->waiting_nr];
		if (!f->waiting_nr)
			timer_set(&f->session->service->timers, &f->timer, 0);
		return;
	}
}

/* Requests are answered in order: an answer is one to all that came before. */
void flush_acknowledge(struct producer *p, uint64_t id)
{
	struct session *session;
	struct flush *f;

	TAILQ_FOREACH(session, &p->service->sessions, link)
		TAILQ_FOREACH(f, &session->flushes, link)
			if (f->id <= id)
				acknowledged(f, p);
}

void flush_forget_producer(struct session *session, struct producer *p)
{
	struct flush *f;

	TAILQ_FOREACH(f, &session->flushes, link)
		acknowledged(f, p);
}

void flush_forget(struct service *s, const void *arg)
{
	struct session *session;
	struct flush *f;

	TAILQ_FOREACH(session, &s->sessions, link)
		TAILQ_FOREACH(f, &session->flushes, link)
			if (f->arg == arg)
				f->done = NULL;
}

void flush_cancel(struct session *session)
{
	struct flush *f;

	while ((f = TAILQ_FIRST(&session->flushes))) {
		flush_done *done = f->done;
		void *arg = f->arg;

		free_flush(f);
		if (done)
			done(NULL, arg, false);
	}
}
