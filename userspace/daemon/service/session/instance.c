// SPDX-License-Identifier: GPL-2.0
/* instance.c - a data source of one producer, set up for one session */
#include "instance.h"

#include <stdlib.h>
#include <string.h>

#include "consumer.h"
#include "service/ipc/message.h"
#include "source_matching.h"

static void set_state(struct instance *i, enum instance_state state)
{
	i->state = state;
	if (i->session->consumer)
		consumer_tell_instance(i->session->consumer, i);
}

/* A name takes precedence: check_config() has compared both. */
static struct buffer *target(const struct session *session, const Pft__DataSourceConfig *wish)
{
	uint32_t index = wish->target_buffer;

	for (size_t i = 0; wish->target_buffer_name && i < session->config->n_buffers; i++)
		if (session->config->buffers[i]->name &&
		    !strcmp(session->config->buffers[i]->name, wish->target_buffer_name))
			index = (uint32_t)i;
	return index < session->buffer_nr ? &session->buffers[index] : NULL;
}

static void adapt(Pft__DataSourceConfig *config, const struct session *session, uint16_t buffer)
{
	const Pft__TraceConfig *wish = session->config;

	config->has_trace_duration_ms = wish->duration_ms != 0;
	config->trace_duration_ms = wish->duration_ms;
	config->has_prefer_suspend_clock_for_duration = wish->prefer_suspend_clock_for_duration;
	config->prefer_suspend_clock_for_duration = wish->prefer_suspend_clock_for_duration;
	config->has_stop_timeout_ms = true;
	config->stop_timeout_ms = session_stop_timeout_ms(session);
	config->has_enable_extra_guardrails = wish->enable_extra_guardrails;
	config->enable_extra_guardrails = wish->enable_extra_guardrails;
	config->has_session_initiator = false;
	config->has_tracing_session_id = true;
	config->tracing_session_id = session->id;
	config->has_target_buffer = true;
	config->target_buffer = buffer;
}

/* Returns the configuration that all producers get for a data source; NULL: out of memory. */
static Pft__DataSourceConfig *told(struct session *session, size_t wish, uint16_t buffer)
{
	const Pft__TraceConfig *config = session->config;
	Pft__DataSourceConfig **of;

	if (!session->told)
		session->told = calloc(config->n_data_sources, sizeof(*session->told));
	of = session->told ? &session->told[wish] : NULL;
	if (!of || *of)
		return of ? *of : NULL;
	*of = (void *)message_copy(&config->data_sources[wish]->config->base);
	if (*of)
		adapt(*of, session, buffer);
	return *of;
}

static const Pft__TraceConfig__ProducerConfig *producer_config(const struct session *session,
							       const struct producer *p)
{
	for (size_t i = 0; i < session->config->n_producers; i++) {
		const Pft__TraceConfig__ProducerConfig *config = session->config->producers[i];

		if (config->producer_name && !strcmp(config->producer_name, p->name))
			return config;
	}
	return NULL;
}

static struct instance *setup(struct session *session, size_t wish, struct source *source)
{
	const Pft__DataSourceDescriptor *d = source->descriptor;
	const struct buffer *buffer = target(session, session->config->data_sources[wish]->config);
	struct producer *p = source->producer;
	Pft__DataSourceConfig *config;
	struct instance *i;

	if (!buffer || p->peer->is_dropped)
		return NULL;
	config = told(session, wish, buffer->id);
	i = config && producer_setup(p, producer_config(session, p)) ? calloc(1, sizeof(*i)) : NULL;
	if (!i)
		return NULL;
	i->config = config;
	i->session = session;
	i->wish = wish;
	i->source = source;
	i->producer = p;
	i->id = ++session->service->last_instance;
	i->acks_start = d->will_notify_on_start;
	i->acks_stop = d->will_notify_on_stop;
	i->clears_state = d->handles_incremental_state_clear;
	i->is_flushed = !d->no_flush;
	TAILQ_INSERT_TAIL(&session->instances, i, link);
	producer_allow_buffer(p, buffer->id);
	set_state(i, INSTANCE_CONFIGURED);
	producer_setup_source(p, i->id, i->config);
	return i;
}

static void start(struct instance *i)
{
	set_state(i, i->acks_start ? INSTANCE_STARTING : INSTANCE_STARTED);
	producer_start_source(i->producer, i->id, i->config);
}

static bool has_instance(const struct session *session, size_t wish, const struct source *source)
{
	const struct instance *i;

	TAILQ_FOREACH(i, &session->instances, link)
		if (i->wish == wish && i->source == source && i->state < INSTANCE_STOPPING)
			return true;
	return false;
}

void instance_join(struct session *session, size_t wish, struct source *source)
{
	struct instance *i;

	/* Matched before the filters changed */
	if (session->has_changed && has_instance(session, wish, source))
		return;
	i = setup(session, wish, source);
	if (!i || session->state != SESSION_STARTED)
		return;
	start(i);
	session_check_started(session);
}

/*
 * Exchanges the filters of two configurations, so that the owner of the other one frees the old
 * ones.
 */
static void exchange_filters(Pft__TraceConfig__DataSource *a, Pft__TraceConfig__DataSource *b)
{
	const Pft__TraceConfig__DataSource old = *a;

	a->producer_name_filter = b->producer_name_filter;
	a->n_producer_name_filter = b->n_producer_name_filter;
	a->producer_name_regex_filter = b->producer_name_regex_filter;
	a->n_producer_name_regex_filter = b->n_producer_name_regex_filter;
	b->producer_name_filter = old.producer_name_filter;
	b->n_producer_name_filter = old.n_producer_name_filter;
	b->producer_name_regex_filter = old.producer_name_regex_filter;
	b->n_producer_name_regex_filter = old.n_producer_name_regex_filter;
}

static const char *name_of(const Pft__TraceConfig__DataSource *wish)
{
	return wish->config && wish->config->name ? wish->config->name : "";
}

/* Returns the data source in @config for the session's data source @i; NULL: none. */
static Pft__TraceConfig__DataSource *counterpart(const struct session *session, size_t i,
						 const Pft__TraceConfig *config)
{
	const char *name = name_of(session->config->data_sources[i]);
	size_t before = 0;

	for (size_t k = 0; k < i; k++)
		before += !strcmp(name_of(session->config->data_sources[k]), name);
	for (size_t k = 0; *name && k < config->n_data_sources; k++)
		if (!strcmp(name_of(config->data_sources[k]), name) && !before--)
			return config->data_sources[k];
	return NULL;
}

void instances_widen(struct session *session, const Pft__TraceConfig *config)
{
	for (size_t i = 0; i < session->config->n_data_sources; i++) {
		Pft__TraceConfig__DataSource *wish = counterpart(session, i, config);

		if (!wish)
			continue;
		exchange_filters(session->config->data_sources[i], wish);
	}
	session->has_changed = true;
	source_matching_again(session);
}

void instances_start(struct session *session)
{
	struct instance *i;

	TAILQ_FOREACH(i, &session->instances, link)
		start(i);
}

static void stop(struct instance *i, bool now)
{
	set_state(i, i->acks_stop && !now ? INSTANCE_STOPPING : INSTANCE_STOPPED);
	producer_stop_source(i->producer, i->id);
}

void instances_stop(struct session *session, bool now)
{
	struct instance *i;

	TAILQ_FOREACH(i, &session->instances, link)
		if (i->state < INSTANCE_STOPPING)
			stop(i, now);
}

void instances_stopped(struct session *session)
{
	struct instance *i;

	TAILQ_FOREACH(i, &session->instances, link)
		if (i->state != INSTANCE_STOPPED)
			set_state(i, INSTANCE_STOPPED);
}

static void free_instance(struct instance *i)
{
	TAILQ_REMOVE(&i->session->instances, i, link);
	free(i);
}

bool instances_are_wanted(const struct session *session, size_t wish)
{
	const struct control *c = &session->control;

	return !c->is_paused && !(c->is_off && c->is_off[wish]);
}

void instances_switch(struct session *session)
{
	struct instance *i = TAILQ_FIRST(&session->instances);

	while (i) {
		struct instance *next = TAILQ_NEXT(i, link);

		if (i->state < INSTANCE_STOPPING && !instances_are_wanted(session, i->wish)) {
			stop(i, false);
			if (i->state == INSTANCE_STOPPED)
				free_instance(i);
		}
		i = next;
	}
	session->has_changed = true;
	source_matching_again(session);
	session_check_started(session);
}

void instances_free(struct session *session)
{
	struct instance *i;

	while ((i = TAILQ_FIRST(&session->instances)))
		free_instance(i);
	for (size_t k = 0; session->told && k < session->config->n_data_sources; k++)
		if (session->told[k])
			pft__data_source_config__free_unpacked(session->told[k], NULL);
	free(session->told);
	session->told = NULL;
}

void instances_leave(struct session *session, struct producer *p, const struct source *source)
{
	struct instance *i = TAILQ_FIRST(&session->instances);
	bool has_left = false;

	while (i) {
		struct instance *next = TAILQ_NEXT(i, link);

		if (i->producer == p && (!source || i->source == source)) {
			if (i->state < INSTANCE_STOPPING)
				producer_stop_source(p, i->id);
			if (i->state != INSTANCE_STOPPED)
				set_state(i, INSTANCE_STOPPED);
			free_instance(i);
			has_left = true;
		}
		i = next;
	}
	if (!has_left)
		return;
	session_check_started(session);
	session_check_stopped(session);
}

static struct instance *find(const struct producer *p, uint64_t id)
{
	struct session *session;
	struct instance *i;

	TAILQ_FOREACH(session, &p->service->sessions, link)
		TAILQ_FOREACH(i, &session->instances, link)
			if (i->id == id)
				return i->producer == p ? i : NULL;
	return NULL;
}

void instance_started(struct producer *p, uint64_t id)
{
	struct instance *i = find(p, id);

	if (!i || i->state != INSTANCE_STARTING || i->session->state != SESSION_STARTED)
		return;
	set_state(i, INSTANCE_STARTED);
	session_check_started(i->session);
}

void instance_has_stopped(struct producer *p, uint64_t id)
{
	struct instance *i = find(p, id);
	struct session *session;

	if (!i || i->state != INSTANCE_STOPPING)
		return;
	set_state(i, INSTANCE_STOPPED);
	session = i->session;
	if (session->state != SESSION_STARTED) {
		session_check_stopped(session);
		return;
	}
	/* It was switched off: another instance may follow it. */
	free_instance(i);
	session_check_started(session);
}

bool instances_all(const struct session *session, enum instance_state state)
{
	const struct instance *i;

	TAILQ_FOREACH(i, &session->instances, link)
		if (i->state != state)
			return false;
	return true;
}
