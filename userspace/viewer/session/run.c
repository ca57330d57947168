// SPDX-License-Identifier: GPL-2.0
/*
 * run.c - starts, waits for, detaches and attaches sessions
 *
 *	EnableTracing ---> [DisableTracing by signal] ---> its reply ---> ReadBuffers, FreeBuffers
 *	     '-----> Detach: the service goes on alone ----> Attach: as before
 */
#include "session.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void say(const struct session *s, const char *text)
{
	if (!s->is_quiet)
		complain_safely("ktrace session: %s", text);
}

static void take_end(struct session *s, const struct client_reply *r)
{
	Pft__EnableTracingResponse *m = NULL;

	s->is_over = true;
	if (r->is_good)
		m = pft__enable_tracing_response__unpack(NULL, r->size, r->data);
	s->is_refused = !m || (m->error && *m->error);
	if (s->is_refused)
		complain_about("session", "%s", m && m->error ? m->error :
			       *r->error ? r->error : "refused");
	if (m)
		pft__enable_tracing_response__free_unpacked(m, NULL);
}

/* Handles a clone trigger: writes what has been recorded so far to FILE.1, FILE.2 and so on. */
static void take_hit(struct session *s, const Pft__ObservableEvents__CloneTriggerHit *hit)
{
	char *path;

	if (!s->output || asprintf(&path, "%s.%u", s->output, ++s->clone_nr) < 0)
		return;
	session_copy(s, hit, path);
	output_end(STATUS_OK);
	free(path);
}

static int take_event(struct session *s, const struct client_reply *r)
{
	Pft__ObserveEventsResponse *m =
		pft__observe_events_response__unpack(NULL, r->size, r->data);

	if (!m)
		return -EPROTO;
	if (m->events && m->events->all_data_sources_started)
		say(s, "started");
	if (m->events && m->events->clone_trigger_hit)
		take_hit(s, m->events->clone_trigger_hit);
	pft__observe_events_response__free_unpacked(m, NULL);
	return 0;
}

static int take_reply(void *arg, const struct client_reply *r)
{
	struct session *s = arg;

	if (r->request == s->enabled)
		take_end(s, r);
	else if (r->request == s->observed && r->is_good)
		return take_event(s, r);
	return 0;
}

static int observe(struct session *s)
{
	Pft__ObserveEventsRequest args = PFT__OBSERVE_EVENTS_REQUEST__INIT;
	Pft__ObservableEvents__Type types[] = {
		PFT__OBSERVABLE_EVENTS__TYPE__TYPE_ALL_DATA_SOURCES_STARTED,
		PFT__OBSERVABLE_EVENTS__TYPE__TYPE_CLONE_TRIGGER_HIT,
	};

	args.n_events_to_observe = 2;
	args.events_to_observe = types;
	return client_call(&s->c, "ObserveEvents", &args.base, -1, &s->observed);
}

/* Turns SIGINT and SIGTERM into a descriptor that is polled along with the connection. */
int session_watch_signals(struct session *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->c.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->c.signal_fd < 0 ? -errno : 0;
}

static int disable(struct session *s)
{
	Pft__DisableTracingRequest args = PFT__DISABLE_TRACING_REQUEST__INIT;
	__u64 request;

	return client_call(&s->c, "DisableTracing", &args.base, -1, &request);
}

/* Waits for the end of tracing. A first signal ends tracing, a second one the wait. */
static int wait_end(struct session *s)
{
	struct client_reply r;
	bool is_asked = false;
	int ret = 0;

	while (!ret && !s->is_over) {
		ret = client_wait(&s->c, 0, &r, -1);
		if (ret == -EINTR && !is_asked) {
			is_asked = true;
			ret = disable(s);
		}
	}
	if (ret)
		session_failed(s->action->name, ret, NULL);
	return ret || s->is_refused ? STATUS_DAMAGED : STATUS_OK;
}

static int end(struct session *s, bool has_file)
{
	Pft__FreeBuffersRequest args = PFT__FREE_BUFFERS_REQUEST__INIT;
	int status = wait_end(s);

	if (status)
		return status;
	if (!has_file && s->output)
		status = save_buffers(s, &s->c, s->output);
	session_ask(s, "FreeBuffers", &args.base);
	return status;
}

/* Gives the file its name, or removes it if @ret is an error. Return: @ret, -errno, reported. */
static int end_file(const struct session *s, int ret)
{
	ret = output_name_end(ret);
	if (ret && ret != -ECANCELED)
		complain_about(s->output, "%s", output_error(ret));
	return ret;
}

/*
 * Opens the file that the service will write, e.g. for a detached session. The file gets its name
 * only once the session is enabled: a refused session leaves an existing file untouched.
 */
static int open_file(const struct session *s, const Pft__TraceConfig *config, int *fd)
{
	const char *writes;

	*fd = -1;
	if (!config->write_into_file || (config->output_path && *config->output_path))
		return 0;
	if (!s->output) {
		complain_about(s->config, "write_into_file, but no --output FILE");
		return -EINVAL;
	}
	writes = output_name(s->output, 0, NULL);
	if (!writes)
		return -ECANCELED;
	*fd = open(writes, O_RDWR | O_CLOEXEC);
	return *fd < 0 ? end_file(s, -errno) : 0;
}

/* Delays signals until the reply: a session left between two states would end with us. */
static int ask_whole(struct session *s, const char *method, const ProtobufCMessage *args,
		     struct client_reply *r)
{
	const int signals = s->c.signal_fd;
	int ret;

	s->c.signal_fd = -1;
	ret = client_ask(&s->c, method, args, r);
	s->c.signal_fd = signals;
	return ret;
}

/* The service answers in order: by this reply it has already accepted or refused the session. */
static bool is_enabled(struct session *s)
{
	Pft__QueryCapabilitiesRequest nothing = PFT__QUERY_CAPABILITIES_REQUEST__INIT;
	struct client_reply r;
	int ret = ask_whole(s, "QueryCapabilities", &nothing.base, &r);

	if (ret)
		session_failed("QueryCapabilities", ret, &r);
	return !ret && !s->is_refused;
}

static int enable(struct session *s, Pft__TraceConfig *config)
{
	Pft__EnableTracingRequest args = PFT__ENABLE_TRACING_REQUEST__INIT;
	int fd, ret = open_file(s, config, &fd);

	if (ret)
		return STATUS_DAMAGED;
	args.trace_config = config;
	s->c.other = take_reply;
	s->c.arg = s;
	ret = session_watch_signals(s);
	if (!ret)
		ret = observe(s);
	if (!ret)
		ret = client_call(&s->c, "EnableTracing", &args.base, fd, &s->enabled);
	if (ret)
		session_failed("EnableTracing", ret, NULL);
	if (fd >= 0) {
		close(fd);
		ret = end_file(s, !ret && is_enabled(s) ? 0 : -ECANCELED);
	}
	return ret ? STATUS_DAMAGED : STATUS_OK;
}

/* Detaches the session, unless it was refused. */
static int leave(struct session *s, const char *key)
{
	Pft__DetachRequest args = PFT__DETACH_REQUEST__INIT;
	struct client_reply r;
	int ret;

	if (!is_enabled(s))
		return STATUS_DAMAGED;
	args.key = (char *)key;
	ret = ask_whole(s, "Detach", &args.base, &r);
	if (ret == -EREMOTEIO)
		complain_about(key, "the service refuses this key: perhaps another session of "
			       "yours has it");
	else if (ret)
		session_failed("Detach", ret, &r);
	return ret ? STATUS_DAMAGED : STATUS_OK;
}

/* activate_triggers: records nothing, but pulls the triggers of other sessions. */
static int pull(struct session *s, const Pft__TraceConfig *config)
{
	int ret;

	client_close(&s->c);
	ret = client_open(&s->c, CLIENT_PRODUCER, NULL);
	return ret ? session_failed("activate_triggers", ret, NULL) :
	       session_pull(s, config->activate_triggers, config->n_activate_triggers);
}

int session_start(struct session *s)
{
	Pft__TraceConfig *config = config_read(s->config);
	bool has_file;
	int status;

	if (!config)
		return STATUS_DAMAGED;
	if (config->n_activate_triggers) {
		status = pull(s, config);
		config_free(config);
		return status;
	}
	has_file = config->write_into_file;
	if (!has_file && (s->key || !s->output)) {
		config_free(config);
		complain_about(s->config, s->key ? "no write_into_file: the service writes what is "
			       "left behind" : "no write_into_file, and no --output FILE");
		return STATUS_USAGE;
	}
	if (!s->is_quiet)
		session_hint(s, config);
	status = has_file || save_is_possible(s) ? enable(s, config) : STATUS_DAMAGED;
	config_free(config);
	if (status)
		return status;
	return s->key ? leave(s, s->key) : end(s, has_file);
}

int session_take(struct session *s, const char *key)
{
	Pft__EnableTracingRequest notify = PFT__ENABLE_TRACING_REQUEST__INIT;
	Pft__AttachRequest args = PFT__ATTACH_REQUEST__INIT;
	struct client_reply r;
	int ret;

	notify.has_attach_notification_only = notify.attach_notification_only = true;
	args.key = (char *)key;
	s->c.other = take_reply;
	s->c.arg = s;
	/* Blocks signals first: once attached, the session would end with us. */
	ret = session_watch_signals(s);
	if (!ret)
		ret = client_call(&s->c, "EnableTracing", &notify.base, -1, &s->enabled);
	if (!ret)
		ret = ask_whole(s, "Attach", &args.base, &r);
	if (ret == -EREMOTEIO)
		return STATUS_NOT_FOUND;
	return ret ? session_failed("Attach", ret, &r) : STATUS_OK;
}

/* Calls session_take(); reports STATUS_NOT_FOUND as an error. */
static int take(struct session *s)
{
	const int status = session_take(s, s->words[0]);

	if (status != STATUS_NOT_FOUND)
		return status;
	complain_about(s->words[0], "no session of yours is detached under this name");
	return STATUS_DAMAGED;
}

int session_attach(struct session *s)
{
	const int status = take(s);

	return status ? status : end(s, true);
}

int session_stop(struct session *s)
{
	int ret, status = take(s);

	if (status)
		return status;
	ret = disable(s);
	return ret ? session_failed("stop", ret, NULL) : end(s, true);
}

int session_flush(struct session *s)
{
	Pft__FlushRequest args = PFT__FLUSH_REQUEST__INIT;
	struct client_reply r;
	int ret, status = take(s);

	if (status)
		return status;
	args.has_timeout_ms = true;
	args.timeout_ms = (__u32)s->timeout_ms;
	ret = client_ask(&s->c, "Flush", &args.base, &r);
	if (ret == -EREMOTEIO)
		complain_about(s->words[0], "not all producers have acknowledged in time");
	else if (ret)
		session_failed("Flush", ret, &r);
	status = leave(s, s->words[0]);
	return ret ? STATUS_DAMAGED : status;
}

int session_detach(struct session *s)
{
	if (s->config) {
		s->key = s->words[0];
		return session_start(s);
	}
	if (take(s))
		return STATUS_DAMAGED;
	if (!leave(s, s->words[1]))
		return STATUS_OK;
	/* The new key was refused: detaches it under the old one again. */
	leave(s, s->words[0]);
	return STATUS_DAMAGED;
}
