// SPDX-License-Identifier: GPL-2.0
/* source_matching.c - a session examines all data sources for those it wants */
#include "source_matching.h"

#include <string.h>

#include "consumer.h"
#include "instance.h"
#include "match.h"

enum verdict {
	NO,
	YES,
	NOT_YET,	/* another expression is to be tried */
};

static bool is_open(const struct session *session)
{
	return session->state == SESSION_CONFIGURED || session->state == SESSION_STARTED;
}

static bool may_match(const Pft__TraceConfig__DataSource *wish, const struct source *source)
{
	const struct producer *p = source->producer;
	const struct service *s = p->service;

	if (!wish->config || !wish->config->name || p->peer->is_dropped ||
	    strcmp(wish->config->name, source->descriptor->name))
		return false;
	if (s->is_locked && p->peer->cred.uid != s->uid)
		return false;
	/* All producers run on this machine. */
	return !wish->n_machine_name_filter ||
	       match_names("host", wish->machine_name_filter, wish->n_machine_name_filter);
}

/* Checks the names and the first expression, or the next expression. */
static enum verdict matches(struct session *session, const Pft__TraceConfig__DataSource *wish)
{
	struct look *l = &session->look;
	const char *name = l->source->producer->name;

	if (!l->pattern) {
		if (!may_match(wish, l->source))
			return NO;
		if (!wish->n_producer_name_filter && !wish->n_producer_name_regex_filter)
			return YES;
		if (match_names(name, wish->producer_name_filter, wish->n_producer_name_filter))
			return YES;
	}
	if (l->pattern == wish->n_producer_name_regex_filter)
		return NO;
	return match_regex(name, wish->producer_name_regex_filter[l->pattern++],
			   &session->is_match_said) ? YES : NOT_YET;
}

/* The first pass is over: the consumer's calls, and a start that waited, go on. */
static void first_over(struct session *session)
{
	session->look.is_first = false;
	if (session->consumer)
		connection_resume(session->consumer->peer);
	if (session->look.wants_start)
		session_start(session);
}

static void next_source(struct session *session)
{
	struct look *l = &session->look;

	l->source = TAILQ_NEXT(l->source, all);
	l->wish = l->pattern = 0;
	if (l->is_first && (!l->source || l->source->number > l->last))
		first_over(session);
}

static bool look_on(void *arg)
{
	struct session *session = arg;
	struct look *l = &session->look;
	const Pft__TraceConfig__DataSource *wish;
	enum verdict verdict;

	if (!is_open(session))
		l->source = NULL;
	if (!l->source) {
		if (l->is_first)
			first_over(session);
		return false;
	}
	if (l->wish == session->config->n_data_sources) {
		next_source(session);
		return true;
	}
	wish = session->config->data_sources[l->wish];
	verdict = instances_are_wanted(session, l->wish) ? matches(session, wish) : NO;
	if (verdict == YES)
		instance_join(session, l->wish, l->source);
	if (verdict != NOT_YET) {
		l->wish++;
		l->pattern = 0;
	}
	return true;
}

static void start_at(struct session *session, struct source *source)
{
	struct look *l = &session->look;

	l->source = source;
	l->wish = l->pattern = 0;
	l->work.owner = WORK_OF_SESSION;
	l->work.step = look_on;
	l->work.arg = session;
	work_begin(&session->service->works, &l->work);
}

void source_matching_begin(struct session *session)
{
	session->look.is_first = true;
	session->look.last = session->service->last_source;
	start_at(session, TAILQ_FIRST(&session->service->sources));
}

void source_matching_again(struct session *session)
{
	start_at(session, TAILQ_FIRST(&session->service->sources));
}

void source_matching_stop(struct session *session)
{
	work_stop(&session->service->works, &session->look.work);
	if (session->look.is_first && session->consumer)
		connection_resume(session->consumer->peer);
	session->look.is_first = false;
}

void source_matching_added(struct service *s, struct source *source)
{
	struct session *session;

	source->number = ++s->last_source;
	TAILQ_INSERT_TAIL(&s->sources, source, all);
	TAILQ_FOREACH(session, &s->sessions, link)
		if (!session->look.source && is_open(session))
			start_at(session, source);
}

void source_matching_removed(struct service *s, struct source *source)
{
	struct session *session;

	TAILQ_FOREACH(session, &s->sessions, link)
		if (session->look.source == source)
			next_source(session);
	TAILQ_REMOVE(&s->sources, source, all);
}
