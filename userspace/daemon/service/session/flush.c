// SPDX-License-Identifier: GPL-2.0
/* flush.c - asks producers for all their data, and waits until they have committed it */
#include "flush.h"

#include <stdlib.h>

#include "commit.h"
#include "instance.h"
#include "service_packets.h"

#define TIMEOUT_MS 5000
/* Limits on the flushes of a session, and on the acknowledgements that all of them await */
#define PENDING_MAX 1000
#define AWAITED_MAX 131072

struct flush {
	TAILQ_ENTRY(flush) link;
	struct session *session;
	uint64_t id;
	uint64_t flags;
	bool is_refused;	/* no producer was asked */
	struct timer timer;	/* time-out; due at once after the last acknowledgement */
	struct work work;	/* takes what the producers have written */
	struct producer *next;	/* next producer for this, NULL: after the last */
	bool is_over;		/* no acknowledgement is awaited any more */
	bool is_done;		/* all had acknowledged by then */
	flush_done *done;
	void *arg;
	size_t waiting_nr, room;
	struct producer *waiting[];
};

static void free_flush(struct flush *f)
{
	timer_stop(&f->session->service->timers, &f->timer);
	work_stop(&f->session->service->works, &f->work);
	TAILQ_REMOVE(&f->session->flushes, f, link);
	f->session->flush_nr--;
	f->session->awaited_nr -= f->room;
	free(f);
}

/* True if no flush follows: then late producers are worth a packet. */
static bool is_last(const struct flush *f)
{
	uint64_t reason = f->flags & FLUSH_REASON;

	return reason == FLUSH_STOP || reason == FLUSH_CLONE;
}

static void finish(struct flush *f)
{
	struct session *session = f->session;
	const bool is_done = f->is_done;
	flush_done *done = f->done;
	void *who = f->arg;

	if (!f->is_refused) {
		service_packets_event(session, SERVICE_PACKETS_ALL_FLUSHED, true);
		if (!is_done && is_last(f))
			service_packets_slow_flush(session, f->waiting, f->waiting_nr);
		session->flush_counts.succeeded += is_done;
		session->flush_counts.failed += !is_done;
	}
	free_flush(f);
	if (done)
		done(session, who, is_done);
}

/* Takes what producers have written, acknowledged or not, one producer per step. */
static bool take_next(void *arg)
{
	struct flush *f = arg;
	struct producer *p = f->next;

	if (!p) {
		finish(f);
		return false;
	}
	f->next = TAILQ_NEXT(p, link);
	commit_scrape(f->session, p);
	return true;
}

static void over(void *arg)
{
	struct flush *f = arg;

	f->is_over = true;
	f->is_done = !f->waiting_nr && !f->is_refused;
	f->next = f->is_refused ? NULL : TAILQ_FIRST(&f->session->service->producers);
	work_begin(&f->session->service->works, &f->work);
}

/*
 * Counts the flushed instances of each producer, and gives each producer a range of them.
 * Return: the number of all; @producer_nr: number of producers that have any.
 */
static size_t count_instances(const struct session *session, size_t *producer_nr)
{
	const struct instance *i;
	struct producer *p;
	size_t nr = 0;

	*producer_nr = 0;
	TAILQ_FOREACH(i, &session->instances, link)
		i->producer->flush_nr += i->is_flushed;
	TAILQ_FOREACH(p, &session->service->producers, link) {
		p->flush_at = nr;
		nr += p->flush_nr;
		*producer_nr += p->flush_nr != 0;
		p->flush_nr = 0;
	}
	return nr;
}

/* Sends one command per producer, for all of its instances. @ids: room for all */
static void ask(struct flush *f, uint64_t *ids)
{
	const struct session *session = f->session;
	const struct instance *i;
	struct producer *p;

	TAILQ_FOREACH(i, &session->instances, link)
		if (i->is_flushed)
			ids[i->producer->flush_at + i->producer->flush_nr++] = i->id;
	TAILQ_FOREACH(p, &session->service->producers, link) {
		if (!p->flush_nr)
			continue;
		producer_flush(p, ids + p->flush_at, p->flush_nr, f->id, f->flags);
		f->waiting[f->waiting_nr++] = p;
		p->flush_nr = 0;
	}
}

static bool may_begin(const struct session *session, size_t producer_nr)
{
	return session->state == SESSION_STARTED && session->flush_nr < PENDING_MAX &&
	       session->awaited_nr + producer_nr <= AWAITED_MAX;
}

static struct flush *alloc_flush(struct session *session, uint64_t *ids, size_t producer_nr)
{
	const bool is_refused = !may_begin(session, producer_nr);
	struct flush *f;

	producer_nr = is_refused ? 0 : producer_nr;
	f = ids ? calloc(1, sizeof(*f) + producer_nr * sizeof(*f->waiting)) : NULL;
	if (!f)
		return NULL;
	f->is_refused = is_refused;
	f->room = producer_nr;
	f->session = session;
	f->id = ++session->service->last_flush;
	f->timer = (struct timer) { .fire = over, .arg = f };
	f->work = (struct work) { .owner = WORK_OF_SESSION, .step = take_next, .arg = f };
	TAILQ_INSERT_TAIL(&session->flushes, f, link);
	session->flush_nr++;
	session->awaited_nr += f->room;
	return f;
}

void flush_start(struct session *session, uint32_t timeout_ms, uint64_t flags, flush_done *done,
		 void *arg)
{
	size_t producer_nr;
	const size_t nr = count_instances(session, &producer_nr);
	uint64_t *ids = malloc((nr + 1) * sizeof(*ids));
	struct flush *f = alloc_flush(session, ids, producer_nr);

	if (!f) {
		free(ids);
		if (done)
			done(NULL, arg, false);
		return;
	}
	f->flags = flags;
	f->done = done;
	f->arg = arg;
	if (!f->is_refused) {
		session->flush_counts.requested++;
		service_packets_event(session, SERVICE_PACKETS_FLUSH_STARTED, false);
		ask(f, ids);
	}
	free(ids);
	if (!timeout_ms)
		timeout_ms = session->config->flush_timeout_ms ?: TIMEOUT_MS;
	timer_set(&session->service->timers, &f->timer, f->waiting_nr ? timeout_ms : 0);
}

/* Return: true if the acknowledgement was awaited. */
static bool acknowledged(struct flush *f, const struct producer *p)
{
	for (size_t i = 0; i < f->waiting_nr; i++) {
		if (f->waiting[i] != p)
			continue;
		f->waiting[i] = f->waiting[--f->waiting_nr];
		if (!f->waiting_nr && !f->is_over)
			timer_set(&f->session->service->timers, &f->timer, 0);
		return true;
	}
	return false;
}

/* Producers answer requests in order: an answer also acknowledges all earlier requests. */
bool flush_acknowledge(struct producer *p, uint64_t id)
{
	struct session *session;
	bool was_awaited = false;
	struct flush *f;

	TAILQ_FOREACH(session, &p->service->sessions, link)
		TAILQ_FOREACH(f, &session->flushes, link)
			if (f->id <= id)
				was_awaited |= acknowledged(f, p);
	return was_awaited;
}

void flush_forget_producer(struct session *session, struct producer *p)
{
	struct flush *f;

	TAILQ_FOREACH(f, &session->flushes, link) {
		acknowledged(f, p);
		if (f->next == p)
			f->next = TAILQ_NEXT(p, link);
	}
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
