// SPDX-License-Identifier: GPL-2.0
/* trigger.c - triggers fired by producers and consumers, and what sessions do then */
#include "trigger.h"

#include <stdlib.h>
#include <string.h>

#include "consumer.h"
#include "match.h"
#include "service/ipc/message.h"

#define NS_PER_DAY (24ull * 3600 * 1000000000)
/* Limits that keep a flood cheap: of names and times the oldest are forgotten. */
#define NAME_MAX_NR 256
#define FIRED_MAX 4096
#define DELAYED_MAX 256

/* When a trigger was fired: a ring with the latest times */
struct fired {
	LIST_ENTRY(fired) link;
	uint32_t first, nr;
	uint64_t boot_ns[FIRED_MAX];
	char name[];
};

/* A clone that the consumer will be told to make, after the trigger's delay */
struct delayed {
	LIST_ENTRY(delayed) link;
	struct session *session;
	struct timer timer;
	struct trigger_hit hit;
	char names[];
};

typedef Pft__TraceConfig__TriggerConfig__Trigger wish;

static void forget(struct fired *f)
{
	LIST_REMOVE(f, link);
	free(f);
}

/* Moves the name to the head of the list; forgets the last one if there are too many. */
static struct fired *find_fired(struct service *s, const char *name)
{
	struct fired *f, *last = NULL;
	uint32_t nr = 0;

	LIST_FOREACH(f, &s->fired, link) {
		if (!strcmp(f->name, name)) {
			LIST_REMOVE(f, link);
			LIST_INSERT_HEAD(&s->fired, f, link);
			return f;
		}
		last = f;
		nr++;
	}
	if (nr >= NAME_MAX_NR)
		forget(last);
	return NULL;
}

static void remember(struct service *s, const char *name, uint64_t now)
{
	struct fired *f = find_fired(s, name);

	if (!f) {
		f = malloc(sizeof(*f) + strlen(name) + 1);
		if (!f)
			return;
		f->first = f->nr = 0;
		strcpy(f->name, name);
		LIST_INSERT_HEAD(&s->fired, f, link);
	}
	if (f->nr == FIRED_MAX) {
		f->first = (f->first + 1) % FIRED_MAX;
		f->nr--;
	}
	f->boot_ns[(f->first + f->nr++) % FIRED_MAX] = now;
}

/* Counts firings in the last 24 hours; forgets older ones. */
static uint32_t count(struct service *s, const char *name)
{
	const uint64_t now = clocks_boot_ns();
	struct fired *f = find_fired(s, name);

	while (f && f->nr && now - f->boot_ns[f->first] >= NS_PER_DAY) {
		f->first = (f->first + 1) % FIRED_MAX;
		f->nr--;
	}
	return f ? f->nr : 0;
}

void trigger_forget(struct service *s)
{
	struct fired *f;

	while ((f = LIST_FIRST(&s->fired)))
		forget(f);
}

static void free_delayed(struct delayed *d)
{
	timer_stop(&d->session->service->timers, &d->timer);
	LIST_REMOVE(d, link);
	d->session->delayed_nr--;
	free(d);
}

void trigger_cancel(struct session *session)
{
	struct delayed *d;

	while ((d = LIST_FIRST(&session->delayed)))
		free_delayed(d);
}

static void ask_for_clone(void *arg)
{
	struct delayed *d = arg;

	if (d->session->consumer)
		consumer_tell_clone(d->session->consumer, &d->hit);
	free_delayed(d);
}

static void delay_clone(struct session *session, const struct trigger_hit *hit)
{
	size_t len = strlen(hit->name) + 1;
	struct delayed *d;

	/* Enough: the consumer is told of those pending. */
	if (session->delayed_nr == DELAYED_MAX)
		return;
	d = calloc(1, sizeof(*d) + len + strlen(hit->producer) + 1);
	if (!d)
		return;
	session->delayed_nr++;
	d->session = session;
	d->hit = *hit;
	d->hit.name = strcpy(d->names, hit->name);
	d->hit.producer = strcpy(d->names + len, hit->producer);
	d->timer = (struct timer) { .fire = ask_for_clone, .arg = d };
	LIST_INSERT_HEAD(&session->delayed, d, link);
	timer_set(&session->service->timers, &d->timer, hit->delay_ms);
}

static const wish *find(const struct session *session, const char *name)
{
	const Pft__TraceConfig__TriggerConfig *config = session->config->trigger_config;

	for (size_t i = 0; config && i < config->n_triggers; i++)
		if (config->triggers[i]->name && !strcmp(config->triggers[i]->name, name))
			return config->triggers[i];
	return NULL;
}

/* @before: number of earlier firings */
static bool applies(struct session *session, const wish *w, const struct trigger_hit *hit,
		    uint32_t before)
{
	uint32_t max = w->max_per_24_h > FIRED_MAX ? FIRED_MAX : w->max_per_24_h;

	if (w->producer_name_regex && *w->producer_name_regex &&
	    !match_regex(hit->producer, w->producer_name_regex, &session->is_match_said))
		return false;
	if (drand48() < w->skip_probability)
		return false;
	return !max || before < max;
}

static void act(struct session *session, const struct trigger_hit *hit)
{
	bool is_first = !session->was_triggered;

	service_packets_clocks(session);
	service_packets_trigger(session, hit, false);
	session->was_triggered = true;
	switch (session_trigger_mode(session)) {
	case PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__START_TRACING:
		if (session->state != SESSION_CONFIGURED || session->look.wants_start)
			break;
		session->duration_ms = (uint32_t)hit->delay_ms;
		session_start(session);
		break;
	case PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__STOP_TRACING:
		if (is_first && session_is_running(session))
			timer_set(&session->service->timers, &session->hit_timer, hit->delay_ms);
		break;
	case PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__CLONE_SNAPSHOT:
		delay_clone(session, hit);
		break;
	}
}

/*
 * A call in progress. Each step handles one name in one session, as its regular expression may
 * take long. Sessions are visited by id, as they may come and go between steps.
 */
struct firing {
	struct work work;
	struct producer *producer;
	struct call call;
	Pft__ActivateTriggersRequest *request;
	uint64_t boot_ns;	/* time of the call */
	uint64_t end;		/* id of the last session at that time */
	size_t at;		/* current name */
	uint64_t last;		/* id of the last session visited */
	bool has_matched;	/* with some session, so it is remembered */
	uint32_t before;	/* firings of the name before this one */
};

static struct session *next_session(const struct firing *f)
{
	struct session *session;

	TAILQ_FOREACH(session, &f->producer->service->sessions, link)
		if (session->id > f->last)
			return session->id <= f->end ? session : NULL;
	return NULL;
}

/* Counts earlier firings only until its first match: others of the name go on between its steps. */
static void fire(struct firing *f, struct session *session)
{
	struct service *s = f->producer->service;
	const char *name = f->request->trigger_names[f->at];
	const wish *w = session->state != SESSION_CLONED ? find(session, name) : NULL;
	struct trigger_hit hit = { .boot_ns = f->boot_ns, .name = name,
				   .producer = f->producer->name,
				   .uid = f->producer->peer->cred.uid };

	if (w && !f->has_matched)
		f->before = count(s, name);
	if (!w || !applies(session, w, &hit, f->before))
		return;
	if (!f->has_matched)
		remember(s, name, f->boot_ns);
	f->has_matched = true;
	hit.delay_ms = w->stop_delay_ms;
	act(session, &hit);
}

static void free_firing(struct firing *f)
{
	f->producer->firing = NULL;
	pft__activate_triggers_request__free_unpacked(f->request, NULL);
	free(f);
}

static void finish(struct firing *f)
{
	Pft__ActivateTriggersResponse r = PFT__ACTIVATE_TRIGGERS_RESPONSE__INIT;
	struct connection *peer = f->producer->peer;

	connection_reply(peer, &f->call, &r.base);
	free_firing(f);
	connection_resume(peer);
}

static bool fire_on(void *arg)
{
	struct firing *f = arg;
	struct session *session;

	if (f->at == f->request->n_trigger_names) {
		finish(f);
		return false;
	}
	session = next_session(f);
	if (session) {
		f->last = session->id;
		fire(f, session);
		return true;
	}
	f->has_matched = false;
	f->last = 0;
	f->at++;
	return true;
}

bool trigger_fire(struct producer *p, const struct call *call,
		  const Pft__ActivateTriggersRequest *request)
{
	struct firing *f = request->n_trigger_names <= TRIGGER_NAMES_MAX ?
		calloc(1, sizeof(*f)) : NULL;

	if (!f)
		return false;
	f->request = (void *)message_copy(&request->base);
	if (!f->request) {
		free(f);
		return false;
	}
	f->work = (struct work) { .owner = WORK_OF_PRODUCER, .step = fire_on, .arg = f };
	f->producer = p;
	f->call = *call;
	f->boot_ns = clocks_boot_ns();
	f->end = p->service->last_session;
	p->firing = f;
	work_begin(&p->service->works, &f->work);
	if (p->firing)
		connection_pause(p->peer);
	return true;
}

void trigger_stop(struct producer *p)
{
	if (!p->firing)
		return;
	work_stop(&p->service->works, &p->firing->work);
	free_firing(p->firing);
}
