// SPDX-License-Identifier: GPL-2.0
/* rpc_consumer.c - what consumers may call */
#include "rpc_ports.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clone.h"
#include "consumer.h"
#include "enable.h"
#include "flush.h"
#include "query.h"
#include "service.pb-c.h"
#include "service/ipc/message.h"
#include "stats.h"

/* Bytes queued at which a consumer is dropped: it keeps calling but reads no answer. */
#define QUEUE_MAX (4u * 1024 * 1024)
/* Bytes of statistics in a frame; only those in a trace list all writers. */
#define STATS_FRAME_MAX (FRAME_MAX - 512)

static struct consumer *of(struct connection *p, struct call *call)
{
	struct consumer *c = consumer_of(p);

	if (!c)
		connection_reject(p, call);
	return c;
}

/* Takes the descriptor sent with the call, which is the file unless the configuration names one. */
static int take_file(struct connection *p, const Pft__TraceConfig *config)
{
	return config && config->write_into_file ? connection_take_fd(p) : -1;
}

/* Tells of a session that ended while nobody was attached, as it will not end again. */
static void tell_if_over(struct consumer *c)
{
	if (c->session && c->session->is_over)
		consumer_tell_disabled(c, NULL);
}

static void enable(struct connection *p, struct call *call, const void *request)
{
	const Pft__EnableTracingRequest *m = request;
	struct consumer *c = of(p, call);
	Pft__TraceConfig *config = NULL;
	char error[SESSION_ERROR_MAX];
	struct call before;

	if (!c)
		return;
	before = c->enabled;
	c->enabled = *call;
	if (m->attach_notification_only) {
		tell_if_over(c);
		return;
	}
	if (m->trace_config)
		config = (void *)message_copy(&m->trace_config->base);
	if (enable_session(c, config, take_file(p, config), error))
		return;
	consumer_tell_disabled(c, error);
	/* An existing session is not over: its call stays open. */
	c->enabled = before;
}

static void disable(struct connection *p, struct call *call, const void *request)
{
	Pft__DisableTracingResponse r = PFT__DISABLE_TRACING_RESPONSE__INIT;
	struct consumer *c = of(p, call);

	(void)request;
	if (!c)
		return;
	if (c->session)
		session_stop(c->session, false, NULL);
	connection_reply(p, call, &r.base);
}

static void read_buffers(struct connection *p, struct call *call, const void *request)
{
	Pft__ReadBuffersResponse r = PFT__READ_BUFFERS_RESPONSE__INIT;
	struct consumer *c = of(p, call);

	(void)request;
	if (!c)
		return;
	/* Packets that go into a file are not read by consumers. */
	if (!c->session || c->session->file.is_used)
		connection_reply(p, call, &r.base);
	else
		consumer_read(c, call);
}

static void free_buffers(struct connection *p, struct call *call, const void *request)
{
	Pft__FreeBuffersResponse r = PFT__FREE_BUFFERS_RESPONSE__INIT;
	struct consumer *c = of(p, call);

	(void)request;
	if (!c)
		return;
	if (c->session)
		session_free(c->session, NULL);
	connection_reply(p, call, &r.base);
}

/* A call answered when its flush is over */
struct waiting {
	struct consumer *consumer;
	struct call call;
	LIST_ENTRY(waiting) link;
};

static void flushed(struct session *session, void *arg, bool is_done)
{
	Pft__FlushResponse r = PFT__FLUSH_RESPONSE__INIT;
	struct waiting *w = arg;

	(void)session;
	if (is_done)
		connection_reply(w->consumer->peer, &w->call, &r.base);
	else
		connection_reject(w->consumer->peer, &w->call);
	LIST_REMOVE(w, link);
	free(w);
}

static void flush(struct connection *p, struct call *call, const void *request)
{
	const Pft__FlushRequest *m = request;
	struct consumer *c = of(p, call);
	struct waiting *w;

	if (!c)
		return;
	w = c->session ? calloc(1, sizeof(*w)) : NULL;
	if (!w) {
		connection_reject(p, call);
		return;
	}
	w->consumer = c;
	w->call = *call;
	LIST_INSERT_HEAD(&c->waiting, w, link);
	flush_start(c->session, m->timeout_ms, m->flags, flushed, w);
}

static void start(struct connection *p, struct call *call, const void *request)
{
	Pft__StartTracingResponse r = PFT__START_TRACING_RESPONSE__INIT;
	struct consumer *c = of(p, call);

	(void)request;
	if (!c)
		return;
	if (c->session)
		session_start(c->session);
	connection_reply(p, call, &r.base);
}

/* Changes name filters only, and only what they add has an effect. */
static void change(struct connection *p, struct call *call, const void *request)
{
	Pft__ChangeTraceConfigResponse r = PFT__CHANGE_TRACE_CONFIG_RESPONSE__INIT;
	const Pft__ChangeTraceConfigRequest *m = request;
	struct consumer *c = of(p, call);

	if (!c)
		return;
	if (c->session && m->trace_config && check_is_bearable(m->trace_config) &&
	    (c->session->state == SESSION_CONFIGURED || c->session->state == SESSION_STARTED))
		instances_widen(c->session, m->trace_config);
	connection_reply(p, call, &r.base);
}

static struct session *find_detached(const struct service *s, uid_t uid, const char *key)
{
	struct session *session;

	TAILQ_FOREACH(session, &s->sessions, link)
		if (!session->consumer && session->uid == uid && session->key &&
		    !strcmp(session->key, key))
			return session;
	return NULL;
}

static void detach(struct connection *p, struct call *call, const void *request)
{
	Pft__DetachResponse r = PFT__DETACH_RESPONSE__INIT;
	const Pft__DetachRequest *m = request;
	struct consumer *c = of(p, call);
	struct session *session;

	if (!c)
		return;
	session = c->session;
	/* A session only in memory would be lost at its end; a clone has no end. */
	if (!session || !session->file.is_used || session->state == SESSION_CLONED || !m->key ||
	    !*m->key || find_detached(p->service, p->cred.uid, m->key)) {
		connection_reject(p, call);
		return;
	}
	free(session->key);
	session->key = strdup(m->key);
	if (!session->key) {
		connection_reject(p, call);
		return;
	}
	session_detach(session);
	connection_reply(p, call, &r.base);
}

static void attach(struct connection *p, struct call *call, const void *request)
{
	Pft__AttachResponse r = PFT__ATTACH_RESPONSE__INIT;
	const Pft__AttachRequest *m = request;
	struct consumer *c = of(p, call);
	struct session *session;

	if (!c)
		return;
	session = c->session || !m->key ? NULL : find_detached(p->service, p->cred.uid, m->key);
	if (!session) {
		connection_reject(p, call);
		return;
	}
	session->consumer = c;
	c->session = session;
	free(session->key);
	session->key = NULL;
	r.trace_config = session->config;
	connection_reply(p, call, &r.base);
	tell_if_over(c);
}

static void get_stats(struct connection *p, struct call *call, const void *request)
{
	Pft__GetTraceStatsResponse r = PFT__GET_TRACE_STATS_RESPONSE__INIT;
	struct consumer *c = of(p, call);

	(void)request;
	if (!c)
		return;
	r.trace_stats = c->session ? stats_make(c->session, STATS_FRAME_MAX) : NULL;
	if (!r.trace_stats) {
		connection_reject(p, call);
		return;
	}
	connection_reply(p, call, &r.base);
	stats_free(r.trace_stats);
}

static void observe(struct connection *p, struct call *call, const void *request)
{
	Pft__ObserveEventsResponse r = PFT__OBSERVE_EVENTS_RESPONSE__INIT;
	const Pft__ObserveEventsRequest *m = request;
	struct consumer *c = of(p, call);
	const struct instance *i;

	if (!c)
		return;
	connection_stream(p, &c->observing, &r.base, false);
	c->observing = *call;
	c->observed = 0;
	for (size_t k = 0; k < m->n_events_to_observe; k++)
		c->observed |= (uint32_t)m->events_to_observe[k];
	if (!c->observed) {
		connection_stream(p, &c->observing, &r.base, false);
		return;
	}
	if (!c->session)
		return;
	TAILQ_FOREACH(i, &c->session->instances, link)
		consumer_tell_instance(c, i);
	session_check_started(c->session);
}

static void query(struct connection *p, struct call *call, const void *request)
{
	const Pft__QueryServiceStateRequest *m = request;
	struct consumer *c = of(p, call);

	if (c)
		query_state(c, call, m->sessions_only);
}

static void capabilities(struct connection *p, struct call *call, const void *request)
{
	(void)request;
	query_capabilities(p, call);
}

static void save_for_report(struct connection *p, struct call *call, const void *request)
{
	Pft__SaveTraceForBugreportResponse r = PFT__SAVE_TRACE_FOR_BUGREPORT_RESPONSE__INIT;

	(void)request;
	r.has_success = true;
	r.msg = (char *)"SaveTraceForBugreport is not supported: use CloneSession";
	connection_reply(p, call, &r.base);
}

static void clone(struct connection *p, struct call *call, const void *request)
{
	struct consumer *c = of(p, call);

	if (c)
		clone_session(c, call, request, connection_take_fd(p));
}

static void close_port(struct connection *p)
{
	struct consumer *c = p->end;
	struct waiting *w;

	while ((w = LIST_FIRST(&c->waiting))) {
		flush_forget(p->service, w);
		LIST_REMOVE(w, link);
		free(w);
	}
	consumer_close(c);
	p->end = NULL;
}

static void drained(struct connection *p)
{
	if (p->end)
		consumer_read_on(p->end);
}

/* Order as in the protocol */
static const struct method methods[] = {
	{ "EnableTracing", &pft__enable_tracing_request__descriptor, enable },
	{ "DisableTracing", &pft__disable_tracing_request__descriptor, disable },
	{ "ReadBuffers", &pft__read_buffers_request__descriptor, read_buffers },
	{ "FreeBuffers", &pft__free_buffers_request__descriptor, free_buffers },
	{ "Flush", &pft__flush_request__descriptor, flush },
	{ "StartTracing", &pft__start_tracing_request__descriptor, start },
	{ "ChangeTraceConfig", &pft__change_trace_config_request__descriptor, change },
	{ "Detach", &pft__detach_request__descriptor, detach },
	{ "Attach", &pft__attach_request__descriptor, attach },
	{ "GetTraceStats", &pft__get_trace_stats_request__descriptor, get_stats },
	{ "ObserveEvents", &pft__observe_events_request__descriptor, observe },
	{ "QueryServiceState", &pft__query_service_state_request__descriptor, query },
	{ "QueryCapabilities", &pft__query_capabilities_request__descriptor, capabilities },
	{ "SaveTraceForBugreport", &pft__save_trace_for_bugreport_request__descriptor,
	  save_for_report },
	{ "CloneSession", &pft__clone_session_request__descriptor, clone },
};

const struct port consumer_port = {
	.name = "ConsumerPort", .methods = methods,
	.method_nr = sizeof(methods) / sizeof(*methods),
	.close = close_port, .drained = drained, .queue_max = QUEUE_MAX, .calls_for_itself = true,
};
