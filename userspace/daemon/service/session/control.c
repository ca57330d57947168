// SPDX-License-Identifier: GPL-2.0
/*
 * control.c - a session's port for ktrace control
 *
 * Takes a message as a whole, answers it, and never waits. A data source that is switched off has
 * no instance at any producer, so it costs nothing; what its producer has written until then is
 * kept. The trace has an event ktrace:control for each change.
 */
#include "control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <ktrace/port.h>
#include <ktrace/tracefile.h>

#include "base/clock.h"
#include "base/log.h"
#include "disk.h"
#include "instance.h"
#include "service/buffer/trace_buffer.h"
#include "service_packets.h"

/* Bytes of a list of names in an answer; what does not fit is counted */
#define NAMES_MAX 4096
#define REASON_MAX 512
/* Names in a request: each is compared with those of all data sources. */
#define CHOSEN_MAX 256

/* A list of names, separated by commas */
struct names {
	char text[NAMES_MAX];
	size_t len;
	size_t more;			/* names without room */
};

static void add_name(struct names *n, const char *name)
{
	const size_t len = strlen(name);

	if (n->len + len + 2 > sizeof(n->text)) {
		n->more++;
		return;
	}
	if (n->len)
		n->text[n->len++] = ',';
	memcpy(n->text + n->len, name, len + 1);
	n->len += len;
}

static void put_names(struct ktrace_text *t, const char *key, const struct names *n)
{
	if (n->len)
		ktrace_text_str(t, key, n->text);
	if (n->more)
		ktrace_text_u64(t, "unnamed", n->more);
}

static const char *source_name(const struct session *session, size_t i)
{
	const Pft__DataSourceConfig *config = session->config->data_sources[i]->config;

	return config && config->name ? config->name : "";
}

static bool is_off(const struct session *session, size_t i)
{
	return session->control.is_off && session->control.is_off[i];
}

static void put_sources(const struct session *session, struct ktrace_text *t)
{
	for (int off = 0; off < 2; off++) {
		struct names names = { .len = 0 };

		for (size_t i = 0; i < session->config->n_data_sources; i++)
			if (is_off(session, i) == off)
				add_name(&names, source_name(session, i));
		put_names(t, off ? "disabled" : "events", &names);
	}
}

static void put_producers(const struct session *session, struct ktrace_text *t)
{
	struct names names = { .len = 0 };
	const struct instance *i;
	__u64 nr = 0;

	/* There may be thousands, each with several instances. */
	TAILQ_FOREACH(i, &session->instances, link)
		i->producer->is_counted = false;
	TAILQ_FOREACH(i, &session->instances, link) {
		if (i->producer->is_counted)
			continue;
		i->producer->is_counted = true;
		add_name(&names, i->producer->name);
		nr++;
	}
	ktrace_text_u64(t, "programs", nr);
	put_names(t, "producers", &names);
}

/* struct totals - of all buffers of a session */
struct totals {
	uint64_t bytes, fill;
	uint64_t overwritten, discarded, unsent, damaged;
};

static void count(const struct session *session, struct totals *t)
{
	*t = (struct totals){ .bytes = 0 };
	for (size_t i = 0; i < session->buffer_nr; i++) {
		const struct trace_buffer_stats *s =
			trace_buffer_stats(session->buffers[i].trace);
		const uint64_t used = s->bytes_written + s->padding_bytes_written - s->bytes_read -
				      s->bytes_overwritten - s->padding_bytes_cleared;
		const uint64_t fill = s->buffer_size ? 100 * used / s->buffer_size : 0;

		t->bytes += s->bytes_written;
		t->fill = fill > t->fill ? fill : t->fill;
		t->overwritten += s->chunks_overwritten;
		t->discarded += s->chunks_discarded;
		t->unsent += s->trace_writer_packet_loss;
		t->damaged += s->abi_violations + s->patches_failed;
	}
}

static void put_losses(const struct session *session, const struct totals *t,
		       struct ktrace_text *text)
{
	const struct {
		const char *key;
		uint64_t nr;
	} losses[] = {
		{ "lost_overwritten", t->overwritten },
		{ "lost_full", t->discarded },
		{ "lost_unsent", t->unsent },
		{ "lost_corrupt", t->damaged + session->invalid_packets },
		{ "lost_memory", session->packets_lost },
		{ "lost_large", session->packets_too_large },
		{ "lost_unwritten", session->file.lost },
	};
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		sum += losses[i].nr;
	ktrace_text_u64(text, "lost", sum);
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (losses[i].nr)
			ktrace_text_u64(text, losses[i].key, losses[i].nr);
}

/* A pace of less than a second says little, but more than none. */
static void measure(struct control *c, uint64_t bytes)
{
	const uint64_t now = now_ns();
	const uint64_t ns = now - c->at_ns;

	/* A clone may have taken buffers, with what they count. */
	if (bytes < c->bytes)
		c->bytes = bytes;
	if (ns < NS_PER_S && c->bytes_s)
		return;
	c->bytes_s = ns ? (uint64_t)((double)(bytes - c->bytes) * NS_PER_S / (double)ns) : 0;
	if (ns < NS_PER_S)
		return;
	c->at_ns = now;
	c->bytes = bytes;
}

void control_measure(struct session *session)
{
	struct totals totals;

	count(session, &totals);
	measure(&session->control, totals.bytes);
}

static void put_file(struct session *session, struct ktrace_text *t)
{
	char *path = session->file.disk ? disk_path(session->file.disk) : NULL;
	uint64_t bytes;

	if (path)
		ktrace_text_str(t, "file", path);
	free(path);
	if (session->file.is_used)
		ktrace_text_u64(t, "written", session->file.written);
	if (session->file.disk && disk_free(session->file.disk, &bytes))
		ktrace_text_u64(t, "free", bytes);
	if (session->file.error)
		ktrace_text_str(t, "error", disk_error(session->file.error));
}

static void put_status(struct session *session, struct ktrace_text *t)
{
	struct control *c = &session->control;
	struct totals totals;

	count(session, &totals);
	measure(c, totals.bytes);
	ktrace_text_u64(t, "paused", c->is_paused);
	ktrace_text_u64(t, "ns", now_ns() - c->start_ns);
	ktrace_text_u64(t, "bytes", totals.bytes);
	ktrace_text_u64(t, "bytes_s", c->bytes_s);
	ktrace_text_u64(t, "fill", totals.fill);
	put_losses(session, &totals, t);
	put_producers(session, t);
}

static void answer(struct session *session, const struct ktrace_port_sender *to,
		   struct ktrace_text *t)
{
	if (!t->error && t->buf)
		ktrace_port_answer(session->control.port.fd, to, t->buf);
	ktrace_text_free(t);
}

static void refuse(struct session *session, const struct ktrace_port_sender *to,
		   const char *reason)
{
	struct ktrace_text t = { 0 };

	ktrace_text_line(&t, "refused");
	ktrace_text_str(&t, "reason", reason);
	answer(session, to, &t);
}

static void show(struct session *session, const struct ktrace_port_sender *to)
{
	const Pft__TraceConfig *config = session->config;
	struct ktrace_text t = { 0 };
	char name[32];

	snprintf(name, sizeof(name), "session:%llu", (unsigned long long)session->id);
	ktrace_text_line(&t, "ok");
	ktrace_text_u64(&t, "pid", (__u64)getpid());
	ktrace_text_str(&t, "kind", "session");
	ktrace_text_str(&t, "session", name);
	if (config->unique_session_name && *config->unique_session_name)
		ktrace_text_str(&t, "name", config->unique_session_name);
	if (!session->consumer && session->key)
		ktrace_text_str(&t, "key", session->key);
	ktrace_text_str(&t, "backend", "service");
	ktrace_text_u64(&t, "uid", session->uid);
	ktrace_text_str(&t, "state", session_state_name(session));
	put_file(session, &t);
	put_sources(session, &t);
	put_status(session, &t);
	answer(session, to, &t);
}

/* Why nothing can be changed now; NULL: it can */
static const char *why_not(const struct session *session, bool is_pause)
{
	if (session->state == SESSION_CONFIGURED)
		return "it has not begun: it waits for a trigger or its consumer";
	if (session->state != SESSION_STARTED)
		return "it is ending already";
	if (!is_pause && session->control.is_paused)
		return "it is paused: resume it first";
	return NULL;
}

/* Tells the trace what was changed; @names may be NULL. */
static void tell(struct session *session, const char *word, const char *names)
{
	char *text;

	if (asprintf(&text, "%s%s%s", word, names ? " " : "", names ? names : "") < 0)
		text = NULL;
	if (!text || !service_packets_mark(session, "ktrace:control", text))
		log_error("session %llu: no event in the trace says: %s",
			  (unsigned long long)session->id, word);
	free(text);
}

static void pause_or_resume(struct session *session, const struct ktrace_port_sender *to,
			    bool is_pause)
{
	const char *wrong = why_not(session, true);

	if (!wrong && is_pause == session->control.is_paused)
		wrong = is_pause ? "it is paused already" : "it is not paused";
	if (wrong) {
		refuse(session, to, wrong);
		return;
	}
	session->control.is_paused = is_pause;
	instances_switch(session);
	tell(session, is_pause ? "pause" : "resume", NULL);
	show(session, to);
}

/* Sets @off of the data sources with this name, of @len bytes; returns their number. */
static size_t choose(const struct session *session, bool *off, const char *name, size_t len,
		     bool value)
{
	size_t nr = 0;

	for (size_t i = 0; i < session->config->n_data_sources; i++) {
		const char *has = source_name(session, i);

		if (strncmp(has, name, len) || has[len])
			continue;
		off[i] = value;
		nr++;
	}
	return nr;
}

/* Why the names cannot be switched to @value; NULL: they are, in @off. */
static const char *choose_all(const struct session *session, const char *names, bool *off,
			      bool value, char reason[REASON_MAX])
{
	bool is_one_left = false;
	size_t nr = 0;

	for (size_t len; *names; names += len + (names[len] == ',')) {
		if (++nr > CHOSEN_MAX)
			return "these are too many names for one request";
		len = strcspn(names, ",");
		if (!len || choose(session, off, names, len, value))
			continue;
		snprintf(reason, REASON_MAX, "'%.*s' is none of its data sources", (int)len, names);
		return reason;
	}
	for (size_t i = 0; i < session->config->n_data_sources; i++)
		is_one_left |= !off[i];
	return is_one_left ? NULL : "no data source would be left: pause it, or stop it";
}

static void change_sources(struct session *session, const struct ktrace_port_sender *to,
			   const char *message, bool is_more)
{
	const size_t nr = session->config->n_data_sources;
	char *names = ktrace_port_value(message, "events"), reason[REASON_MAX];
	const char *wrong = why_not(session, false);
	bool *off = calloc(nr + 1, sizeof(*off));

	if (!wrong && (!names || !names[strspn(names, ",")]))
		wrong = "the list of data sources is empty";
	if (!wrong && !off)
		wrong = "out of memory";
	if (!wrong && session->control.is_off)
		memcpy(off, session->control.is_off, nr * sizeof(*off));
	if (!wrong)
		wrong = choose_all(session, names, off, !is_more, reason);
	if (wrong) {
		free(names);
		free(off);
		refuse(session, to, wrong);
		return;
	}
	free(session->control.is_off);
	session->control.is_off = off;
	instances_switch(session);
	tell(session, is_more ? "enable" : "disable", names);
	free(names);
	show(session, to);
}

static void mark(struct session *session, const struct ktrace_port_sender *to, const char *message)
{
	char *text = ktrace_port_value(message, "text");
	const char *wrong = why_not(session, true);

	if (!wrong && !text)
		wrong = "the text is missing";
	if (!wrong && !service_packets_mark(session, "ktrace:mark", text))
		wrong = "too many marks wait to be read, or there is no memory";
	free(text);
	if (wrong)
		refuse(session, to, wrong);
	else
		show(session, to);
}

/* A session that waits for a trigger or its consumer has nothing to flush. */
static void stop(struct session *session, const struct ktrace_port_sender *to)
{
	const bool is_ending = session->state > SESSION_STARTED;

	if (is_ending) {
		refuse(session, to, "it is ending already");
		return;
	}
	/* The answer first: without sources the session, and its port, may be over at once. */
	show(session, to);
	if (session->state == SESSION_CONFIGURED)
		session_stop(session, true, NULL);
	else
		session_finish(session);
}

static void serve(struct session *session, const struct ktrace_port_sender *to, const char *message)
{
	if (!strcmp(message, "show") || !strcmp(message, "status"))
		show(session, to);
	else if (!strcmp(message, "pause") || !strcmp(message, "resume"))
		pause_or_resume(session, to, *message == 'p');
	else if (!strncmp(message, "enable ", 7) || !strncmp(message, "disable ", 8))
		change_sources(session, to, message, *message == 'e');
	else if (!strncmp(message, "mark ", 5))
		mark(session, to, message);
	else if (!strcmp(message, "stop"))
		stop(session, to);
	else if (!strcmp(message, "rotate"))
		refuse(session, to, "its packets refer to earlier ones, so a second file could not "
		       "be read alone; ktrace session snapshot copies what it has so far");
	else if (!strncmp(message, "set", 3))
		refuse(session, to, "it is a session of the service: it has no levels or filters; "
		       "ktrace control enables and disables its data sources");
	else
		refuse(session, to, "this ktraced does not support the request");
}

static void on_message(void *arg, uint32_t events)
{
	struct session *session = arg;
	char message[KTRACE_PORT_MESSAGE];
	struct ktrace_port_sender from;

	(void)events;
	if (!ktrace_port_receive(session->control.port.fd, message, &from))
		return;
	if (from.may || session_allows(session, from.uid))
		serve(session, &from, message);
	else
		refuse(session, &from, "only the owner of the recording and root may do that");
}

void control_open(struct session *session)
{
	const struct service *s = session->service;
	struct control *c = &session->control;
	/* Only root's answers count for sessions of other users. */
	const uid_t uid = s->uid ? s->uid : session->uid;
	const __u64 id = (__u64)getpid() << 32 | (session->id & UINT32_MAX);
	int error;

	c->start_ns = c->at_ns = now_ns();
	c->port = (struct loop_source){
		.fd = ktrace_port_open_for(uid, id), .handler = on_message, .arg = session,
	};
	error = c->port.fd < 0 ? c->port.fd :
		loop_join(&session->service->loop, &c->port, EPOLLIN);
	if (!error)
		return;
	log_error("session %llu: ktrace control cannot reach it: %s",
		  (unsigned long long)session->id, strerror(-error));
	if (c->port.fd >= 0)
		close(c->port.fd);
	c->port.fd = -1;
}

void control_close(struct session *session)
{
	struct control *c = &session->control;

	if (c->port.fd < 0)
		return;
	loop_leave(&session->service->loop, &c->port);
	close(c->port.fd);
	c->port.fd = -1;
}
