// SPDX-License-Identifier: GPL-2.0
/* query.c - what consumers may ask about the service: sends rows as soon as a reply is full */
#include "query.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 512
/* Bytes in one reply: a single row can have 64 KiB. */
#define BYTES_MAX (FRAME_MAX / 2)

#define SET(message, member, value) ((message)->has_##member = true, (message)->member = (value))

typedef Pft__TracingServiceState__Producer producer_row;
typedef Pft__TracingServiceState__DataSource source_row;
typedef Pft__TracingServiceState__TracingSession session_row;

/* A reply being built */
struct state {
	struct consumer *c;
	struct call *call;
	Pft__TracingServiceState message;
	size_t bytes;
	producer_row producers[ROWS_MAX], *producer_ptrs[ROWS_MAX];
	source_row sources[ROWS_MAX], *source_ptrs[ROWS_MAX];
	session_row sessions[ROWS_MAX], *session_ptrs[ROWS_MAX];
	uint32_t sizes[ROWS_MAX];
	size_t size_nr;
};

static void send_rows(struct state *s, bool has_more)
{
	Pft__QueryServiceStateResponse r = PFT__QUERY_SERVICE_STATE_RESPONSE__INIT;

	s->message.producers = s->producer_ptrs;
	s->message.data_sources = s->source_ptrs;
	s->message.tracing_sessions = s->session_ptrs;
	r.service_state = &s->message;
	connection_stream(s->c->peer, s->call, &r.base, has_more);
	pft__tracing_service_state__init(&s->message);
	s->bytes = 0;
	s->size_nr = 0;
}

/* Makes room for a row of @size bytes, after @nr of its kind; sends the reply if it is full. */
static void make_room(struct state *s, size_t size, size_t nr)
{
	if (nr == ROWS_MAX || (s->bytes && s->bytes + size > BYTES_MAX))
		send_rows(s, true);
	s->bytes += size;
}

static void add_producer(struct state *s, const struct producer *p)
{
	producer_row *row;

	make_room(s, 64 + strlen(p->name) + strlen(p->sdk_version), s->message.n_producers);
	row = &s->producers[s->message.n_producers];
	pft__tracing_service_state__producer__init(row);
	SET(row, id, p->id);
	row->name = p->name;
	row->sdk_version = p->sdk_version;
	SET(row, uid, (int32_t)p->peer->cred.uid);
	SET(row, pid, p->peer->cred.pid);
	s->producer_ptrs[s->message.n_producers++] = row;
}

static void add_source(struct state *s, const struct source *source)
{
	size_t size = pft__data_source_descriptor__get_packed_size(source->descriptor);
	source_row *row;

	make_room(s, 32 + size, s->message.n_data_sources);
	row = &s->sources[s->message.n_data_sources];
	pft__tracing_service_state__data_source__init(row);
	row->ds_descriptor = source->descriptor;
	SET(row, producer_id, source->producer->id);
	s->source_ptrs[s->message.n_data_sources++] = row;
}

static void add_sizes(struct state *s, session_row *row, const Pft__TraceConfig *config)
{
	row->buffer_size_kb = &s->sizes[s->size_nr];
	for (size_t i = 0; i < config->n_buffers && s->size_nr < ROWS_MAX; i++) {
		s->sizes[s->size_nr++] = config->buffers[i]->size_kb;
		row->n_buffer_size_kb++;
	}
}

static size_t length(const char *maybe)
{
	return maybe ? strlen(maybe) : 0;
}

static void add_session(struct state *s, const struct session *session)
{
	const Pft__TraceConfig *config = session->config;
	const size_t size = 2048 + length(config->unique_session_name) +
			    length(config->bugreport_filename);
	const struct instance *i;
	session_row *row;

	make_room(s, size, s->size_nr + config->n_buffers > ROWS_MAX ? ROWS_MAX :
			   s->message.n_tracing_sessions);
	row = &s->sessions[s->message.n_tracing_sessions];
	pft__tracing_service_state__tracing_session__init(row);
	SET(row, id, session->id);
	SET(row, consumer_uid, (int32_t)session->uid);
	row->state = (char *)session_state_name(session);
	row->unique_session_name = config->unique_session_name;
	SET(row, duration_ms, session->duration_ms);
	row->has_num_data_sources = true;
	TAILQ_FOREACH(i, &session->instances, link)
		row->num_data_sources++;
	row->has_start_realtime_ns = session->start_realtime_ns != 0;
	row->start_realtime_ns = (int64_t)session->start_realtime_ns;
	row->has_bugreport_score = config->has_bugreport_score;
	row->bugreport_score = config->bugreport_score;
	row->bugreport_filename = config->bugreport_filename;
	SET(row, is_started, session->state == SESSION_STARTED);
	add_sizes(s, row, config);
	s->session_ptrs[s->message.n_tracing_sessions++] = row;
}

static void add_counts(struct state *s)
{
	const struct service *service = s->c->service;
	const struct session *session;
	int32_t started = 0;

	TAILQ_FOREACH(session, &service->sessions, link)
		started += session->state == SESSION_STARTED;
	SET(&s->message, num_sessions, (int32_t)service->session_nr);
	SET(&s->message, num_sessions_started, started);
	SET(&s->message, supports_tracing_sessions, true);
	s->message.tracing_service_version = (char *)"ktraced " KTRACE_VERSION;
}

void query_state(struct consumer *c, struct call *call, bool sessions_only)
{
	struct state *s = calloc(1, sizeof(*s));
	const struct session *session;
	const struct producer *p;
	const struct source *source;

	if (!s) {
		connection_reject(c->peer, call);
		return;
	}
	s->c = c;
	s->call = call;
	/*
	 * Producers decide how long the answer is: it must not end the connection of a consumer
	 * that asks once.
	 */
	c->peer->is_answering = c->peer->queued < c->peer->port->queue_max;
	pft__tracing_service_state__init(&s->message);
	add_counts(s);
	TAILQ_FOREACH(session, &c->service->sessions, link)
		if (session_allows(session, c->peer->cred.uid))
			add_session(s, session);
	if (!sessions_only) {
		TAILQ_FOREACH(p, &c->service->producers, link)
			add_producer(s, p);
		TAILQ_FOREACH(p, &c->service->producers, link)
			TAILQ_FOREACH(source, &p->sources, link)
				add_source(s, source);
	}
	send_rows(s, false);
	c->peer->is_answering = false;
	free(s);
}

void query_capabilities(struct connection *p, struct call *call)
{
	Pft__ObservableEvents__Type events[] = {
		PFT__OBSERVABLE_EVENTS__TYPE__TYPE_DATA_SOURCES_INSTANCES,
		PFT__OBSERVABLE_EVENTS__TYPE__TYPE_ALL_DATA_SOURCES_STARTED,
		PFT__OBSERVABLE_EVENTS__TYPE__TYPE_CLONE_TRIGGER_HIT,
	};
	Pft__TracingServiceCapabilities c = PFT__TRACING_SERVICE_CAPABILITIES__INIT;
	Pft__QueryCapabilitiesResponse r = PFT__QUERY_CAPABILITIES_RESPONSE__INIT;

	SET(&c, has_query_capabilities, true);
	SET(&c, has_trace_config_output_path, true);
	SET(&c, has_clone_session, true);
	c.n_observable_events = sizeof(events) / sizeof(*events);
	c.observable_events = events;
	r.capabilities = &c;
	connection_reply(p, call, &r.base);
}
