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

/* Bytes of the key of a detached session */
#define KEY_MAX 1024u

/* Bytes queued at which a consumer is dropped: it keeps calling but reads no answer. */
#define QUEUE_MAX (4u * 1024 * 1024)
/* Bytes of statistics in a frame; only those in a trace list all writers. */
#define STATS_FRAME_MAX (FRAME_MAX - 512)

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
	struct consumer *c = p->end;
	Pft__TraceConfig *config = NULL;
	char error[SESSION_ERROR_MAX];
	const struct call before = c->enabled;

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
	struct consumer *c = p->end;

	(void)request;
	if (c->session)
		session_stop(c->session, false, NULL);
	connection_done(p, call);
}

static void read_buffers(struct connection *p, struct call *call, const void *request)
{
	struct consumer *c = p->end;

	(void)request;
	/* Packets that go into a file are not read by consumers. */
	if (!c->session || c->session->file.is_used)
		connection_done(p, call);
	else
		consumer_read(c, call);
}

static void free_buffers(struct connection *p, struct call *call, const void *request)
{
	struct consumer *c = p->end;

	(void)request;
	if (c->session)
		session_free(c->session, NULL);
	connection_done(p, call);
}

/* A call answered when its flush is over */
struct waiting {
	struct consumer *consumer;
	struct call call;
	LIST_ENTRY(waiting) link;
};

static void flushed(struct session *session, void *arg, bool is_done)
{
	struct waiting *w = arg;

	(void)session;
	if (is_done)
		connection_done(w->consumer->peer, &w->call);
	else
		connection_reject(w->consumer->peer, &w->call);
	LIST_REMOVE(w, link);
	free(w);
}

static void flush(struct connection *p, struct call *call, const void *request)
{
	const Pft__FlushRequest *m = request;
	struct consumer *c = p->end;
	struct waiting *w = c->session ? calloc(1, sizeof(*w)) : NULL;

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
	struct consumer *c = p->end;

	(void)request;
	if (c->session)
		session_start(c->session);
	connection_done(p, call);
}

/* Changes name filters only, and only what they add has an effect. */
static void change(struct connection *p, struct call *call, const void *request)
{
	const Pft__ChangeTraceConfigRequest *m = request;
	struct consumer *c = p->end;

	if (c->session && m->trace_config && check_is_bearable(m->trace_config) &&
	    (c->session->state == SESSION_CONFIGURED || c->session->state == SESSION_STARTED))
		instances_widen(c->session, m->trace_config);
	connection_done(p, call);
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
	const Pft__DetachRequest *m = request;
	struct consumer *c = p->end;
	struct session *session = c->session;

	/* A session only in memory would be lost at its end; a clone has no end. */
	if (!session || !session->file.is_used || session->state == SESSION_CLONED ||
	    !m->key || !*m->key || strlen(m->key) > KEY_MAX ||
	    find_detached(p->service, p->cred.uid, m->key)) {
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
	connection_done(p, call);
}

static void attach(struct connection *p, struct call *call, const void *request)
{
	Pft__AttachResponse r = PFT__ATTACH_RESPONSE__INIT;
	const Pft__AttachRequest *m = request;
	struct consumer *c = p->end;
	struct session *session;

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
	struct consumer *c = p->end;

	(void)request;
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
	struct consumer *c = p->end;
	const struct instance *i;

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

	query_state(p->end, call, m->sessions_only);
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
	clone_session(p->end, call, request, connection_take_fd(p));
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
	METHOD("EnableTracing", enable_tracing, enable, false),
	METHOD("DisableTracing", disable_tracing, disable, false),
	METHOD("ReadBuffers", read_buffers, read_buffers, false),
	METHOD("FreeBuffers", free_buffers, free_buffers, false),
	METHOD("Flush", flush, flush, false),
	METHOD("StartTracing", start_tracing, start, false),
	METHOD("ChangeTraceConfig", change_trace_config, change, false),
	METHOD("Detach", detach, detach, false),
	METHOD("Attach", attach, attach, false),
	METHOD("GetTraceStats", get_trace_stats, get_stats, false),
	METHOD("ObserveEvents", observe_events, observe, false),
	METHOD("QueryServiceState", query_service_state, query, false),
	METHOD("QueryCapabilities", query_capabilities, capabilities, true),
	METHOD("SaveTraceForBugreport", save_trace_for_bugreport, save_for_report, true),
	METHOD("CloneSession", clone_session, clone, false),
};

const struct port consumer_port = {
	.name = "ConsumerPort", .methods = methods,
	.method_nr = sizeof(methods) / sizeof(*methods),
	.open = consumer_open, .close = close_port, .drained = drained,
	.queue_max = QUEUE_MAX, .calls_for_itself = true,
};
