// SPDX-License-Identifier: GPL-2.0
/* query.c - producers, data sources and sessions of the service; triggers */
#include "session.h"

#include "base/json.h"
#include "base/table.h"
#include "service.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ktrace/nearest.h>

typedef Pft__TracingServiceState State;

/* Passes each part of the service's state to @take. Return: 0, -errno; @r may say why. */
static int query_parts(struct session *s, int (*take)(const State *state, void *arg), void *arg,
		       struct client_reply *r)
{
	Pft__QueryServiceStateRequest args = PFT__QUERY_SERVICE_STATE_REQUEST__INIT;
	Pft__QueryServiceStateResponse *m;
	__u64 request;
	int ret = client_call(&s->c, "QueryServiceState", &args.base, -1, &request);

	r->has_more = true;
	while (!ret && r->has_more) {
		ret = client_wait(&s->c, request, r, -1);
		if (!ret && !r->is_good)
			ret = -EREMOTEIO;
		if (ret)
			break;
		m = pft__query_service_state_response__unpack(NULL, r->size, r->data);
		ret = !m ? -EPROTO : m->service_state ? take(m->service_state, arg) : 0;
		if (m)
			pft__query_service_state_response__free_unpacked(m, NULL);
	}
	return ret;
}

static int query(struct session *s, int (*take)(const State *state, void *arg), void *arg)
{
	struct client_reply r = { 0 };
	const int ret = query_parts(s, take, arg, &r);

	return ret ? session_failed("QueryServiceState", ret, &r) : STATUS_OK;
}

static const char *text(const char *s)
{
	return s ? s : "";
}

static void put_word(const char *s)
{
	ktrace_out_char(output(), ' ');
	ktrace_out_safe(output(), s && *s ? s : "-");
}

static void put_number(const char *name, __s64 value)
{
	out_printf(output(), " %s %lld", name, value);
}

static void list_text(const State *state)
{
	struct ktrace_out *out = output();

	for (size_t i = 0; i < state->n_producers; i++) {
		const Pft__TracingServiceState__Producer *p = state->producers[i];

		ktrace_out_str(out, "producer");
		put_number("id", p->id);
		put_number("pid", p->pid);
		put_number("uid", p->uid);
		put_word(p->name);
		ktrace_out_char(out, '\n');
	}
	for (size_t i = 0; i < state->n_data_sources; i++) {
		const Pft__TracingServiceState__DataSource *d = state->data_sources[i];

		ktrace_out_str(out, "source");
		put_number("producer", d->producer_id);
		put_word(d->ds_descriptor ? d->ds_descriptor->name : NULL);
		ktrace_out_char(out, '\n');
	}
	for (size_t i = 0; i < state->n_tracing_sessions; i++) {
		const Pft__TracingServiceState__TracingSession *t = state->tracing_sessions[i];

		ktrace_out_str(out, "session");
		put_number("id", (__s64)t->id);
		put_number("uid", t->consumer_uid);
		put_number("sources", t->num_data_sources);
		put_number("buffers", (__s64)t->n_buffer_size_kb);
		put_word(t->state);
		put_word(t->unique_session_name);
		ktrace_out_char(out, '\n');
	}
}

static void list_json(const State *state)
{
	struct ktrace_out *out = output();

	for (size_t i = 0; i < state->n_producers; i++) {
		const Pft__TracingServiceState__Producer *p = state->producers[i];

		ktrace_out_char(out, '{');
		json_str(out, "type", "producer");
		json_s64(out, "id", p->id);
		json_str(out, "name", text(p->name));
		json_s64(out, "pid", p->pid);
		json_s64(out, "uid", p->uid);
		ktrace_out_str(out, "}\n");
	}
	for (size_t i = 0; i < state->n_data_sources; i++) {
		const Pft__TracingServiceState__DataSource *d = state->data_sources[i];

		ktrace_out_char(out, '{');
		json_str(out, "type", "source");
		json_s64(out, "producer", d->producer_id);
		json_str(out, "name", text(d->ds_descriptor ? d->ds_descriptor->name : NULL));
		ktrace_out_str(out, "}\n");
	}
	for (size_t i = 0; i < state->n_tracing_sessions; i++) {
		const Pft__TracingServiceState__TracingSession *t = state->tracing_sessions[i];

		ktrace_out_char(out, '{');
		json_str(out, "type", "session");
		json_u64(out, "id", t->id);
		json_str(out, "name", text(t->unique_session_name));
		json_str(out, "state", text(t->state));
		json_s64(out, "uid", t->consumer_uid);
		json_u64(out, "sources", t->num_data_sources);
		json_u64(out, "buffers", t->n_buffer_size_kb);
		json_u64(out, "duration_ms", t->duration_ms);
		ktrace_out_str(out, "}\n");
	}
}

static int take_list(const State *state, void *arg)
{
	const struct session *s = arg;

	if (s->is_json)
		list_json(state);
	else
		list_text(state);
	return 0;
}

int session_list(struct session *s)
{
	return query(s, take_list, s);
}

/* What is shown without a key: counts, and the version of the service */
struct summary {
	char version[128];
	__u64 producers;
	__u64 sources;
	__s64 sessions;
	__s64 started;
};

static int take_summary(const State *state, void *arg)
{
	struct summary *sum = arg;

	if (state->tracing_service_version)
		snprintf(sum->version, sizeof(sum->version), "%s",
			 state->tracing_service_version);
	sum->producers += state->n_producers;
	sum->sources += state->n_data_sources;
	if (state->has_num_sessions)
		sum->sessions = state->num_sessions;
	if (state->has_num_sessions_started)
		sum->started = state->num_sessions_started;
	return 0;
}

static int put_summary(struct session *s)
{
	struct ktrace_out *out = output();
	struct summary sum = { 0 };
	const int status = query(s, take_summary, &sum);

	if (status)
		return status;
	if (s->is_json) {
		ktrace_out_char(out, '{');
		json_str(out, "version", sum.version);
		json_u64(out, "producers", sum.producers);
		json_u64(out, "sources", sum.sources);
		json_s64(out, "sessions", sum.sessions);
		json_s64(out, "started", sum.started);
		ktrace_out_str(out, "}\n");
		return status;
	}
	ktrace_out_safe(out, sum.version);
	ktrace_out_char(out, '\n');
	put_number("producers", (__s64)sum.producers);
	put_number("sources", (__s64)sum.sources);
	put_number("sessions", sum.sessions);
	put_number("started", sum.started);
	ktrace_out_char(out, '\n');
	return status;
}

/* Writes an optional field if it is a number. */
static void put_number_member(struct ktrace_out *out, const ProtobufCFieldDescriptor *f,
			      const char *at)
{
	if (f->type == PROTOBUF_C_TYPE_UINT64)
		json_u64(out, f->name, *(const __u64 *)at);
	else if (f->type == PROTOBUF_C_TYPE_INT64)
		json_s64(out, f->name, *(const __s64 *)at);
	else if (f->type != PROTOBUF_C_TYPE_MESSAGE)
		json_u64(out, f->name, *(const __u32 *)at);
}

/* Writes all numbers of a message by name, and its repeated messages as arrays. */
static void put_members(struct ktrace_out *out, const ProtobufCMessage *m)
{
	const char *base = (const char *)m;

	for (unsigned int i = 0; i < m->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
		const char *at = base + f->offset;
		size_t nr;

		if (f->label == PROTOBUF_C_LABEL_OPTIONAL)
			put_number_member(out, f, at);
		if (f->label != PROTOBUF_C_LABEL_REPEATED || f->type != PROTOBUF_C_TYPE_MESSAGE)
			continue;
		nr = *(const size_t *)(base + f->quantifier_offset);
		json_open(out, f->name, '[');
		for (size_t k = 0; k < nr; k++) {
			json_item(out);
			put_members(out, (*(ProtobufCMessage *const *const *)at)[k]);
			ktrace_out_char(out, '}');
		}
		ktrace_out_char(out, ']');
	}
}

/* Applies to a session owned by this connection. */
static int put_stats(struct session *s)
{
	Pft__GetTraceStatsRequest args = PFT__GET_TRACE_STATS_REQUEST__INIT;
	struct ktrace_out *out = output();
	Pft__GetTraceStatsResponse *m;
	struct client_reply r;
	int ret = client_ask(&s->c, "GetTraceStats", &args.base, &r);

	m = ret ? NULL : pft__get_trace_stats_response__unpack(NULL, r.size, r.data);
	if (!m || !m->trace_stats) {
		session_failed("GetTraceStats", ret ? ret : -EPROTO, &r);
		return STATUS_DAMAGED;
	}
	ktrace_out_char(out, '{');
	put_members(out, &m->trace_stats->base);
	ktrace_out_str(out, "}\n");
	pft__get_trace_stats_response__free_unpacked(m, NULL);
	return STATUS_OK;
}

int session_status(struct session *s)
{
	Pft__DetachRequest args = PFT__DETACH_REQUEST__INIT;
	int status, left;

	if (!s->word_nr)
		return put_summary(s);
	status = session_take(s, s->words[0]);
	if (status)
		return status;
	status = s->is_json ? put_stats(s) : STATUS_OK;
	args.key = s->words[0];
	left = session_ask(s, "Detach", &args.base);
	return status ? status : left;
}

int session_pull(struct session *s, char **names, size_t nr)
{
	Pft__InitializeConnectionRequest hello = PFT__INITIALIZE_CONNECTION_REQUEST__INIT;
	Pft__ActivateTriggersRequest args = PFT__ACTIVATE_TRIGGERS_REQUEST__INIT;
	int status;

	hello.producer_name = (char *)"ktrace.trigger";
	args.n_trigger_names = nr;
	args.trigger_names = names;
	status = session_ask(s, "InitializeConnection", &hello.base);
	return status ? status : session_ask(s, "ActivateTriggers", &args.base);
}

int session_trigger(struct session *s)
{
	return session_pull(s, s->words, (size_t)s->word_nr);
}

/* struct wanted - data sources of a configuration, each with the nearest name on offer */
struct wanted {
	struct ktrace_nearest *near;
	size_t nr;
};

static int take_sources(const State *state, void *arg)
{
	const struct wanted *w = arg;

	for (size_t i = 0; i < state->n_data_sources; i++) {
		const Pft__TracingServiceState__DataSource *d = state->data_sources[i];

		for (size_t k = 0; d->ds_descriptor && k < w->nr; k++)
			ktrace_nearest_try(&w->near[k], text(d->ds_descriptor->name));
	}
	return 0;
}

static const char *name_of(const Pft__TraceConfig *config, size_t i)
{
	const Pft__TraceConfig__DataSource *source = config->data_sources[i];

	return source->config ? text(source->config->name) : "";
}

void session_hint(struct session *s, const Pft__TraceConfig *config)
{
	struct wanted w = { .nr = config->n_data_sources };
	struct client_reply r = { 0 };
	int ret;

	w.near = calloc(w.nr + 1, sizeof(*w.near));
	if (!w.near)
		return;
	for (size_t i = 0; i < w.nr; i++)
		ktrace_nearest_init(&w.near[i], name_of(config, i));
	ret = query_parts(s, take_sources, &w, &r);
	for (size_t i = 0; !ret && i < w.nr; i++)
		if (w.near[i].distance)
			complain_safely("ktrace session: no producer has a data source '%s' yet%s; "
					"'ktrace session list' lists those there are",
					w.near[i].wanted, ktrace_nearest_hint(&w.near[i]));
	free(w.near);
}
