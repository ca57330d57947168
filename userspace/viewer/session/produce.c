// SPDX-License-Identifier: GPL-2.0
/*
 * produce.c - offers ktrace's own events as data sources of the service
 *
 *	StartDataSource ---> starts a recording; NotifyDataSourceStarted after its first part
 *	Flush, a timer  ---> ends the current part, and sends it to the service as packets
 *	StopDataSource  ---> ends it; sends its last part; NotifyDataSourceStopped
 *
 * Each instance is a recording of its own, so that any number of sessions can use the sources.
 * legacy_config of a source's configuration selects the events, as -e does; the service cannot
 * choose which command runs. Errors are reported here and, as events ktrace:error, in the trace.
 *
 * Commands that arrive during a wait for a reply are queued and run in order afterwards.
 */
#include "produce.h"


#include "base/clock.h"
#include "commit.h"
#include "recorder.h"
#include "service.pb-c.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

typedef Pft__GetAsyncCommandResponse Command;

#define SOURCE_NR 2
#define INSTANCES_MAX 32
/* Time between two parts; between two checks of a recording, and of one about to end */
#define PERIOD_MS 2000
#define LOOK_MS 200
#define END_LOOK_MS 50

static const char *const source_names[SOURCE_NR] = { "ktrace.user", "ktrace.kernel" };

enum { SOURCE_KERNEL = 1 };

/**
 * struct instance - a data source in use by a session
 * @p:		the producer
 * @source:	index of the source
 * @id:		the service's id of the instance, 0 = free
 * @writer:	sends its packets
 * @chunk:	last chunk of the previous writers of this slot
 * @recorder:	its recording
 * @is_started:	NotifyDataSourceStarted was sent
 * @is_stopping: the service waits for its end
 */
struct instance {
	struct producer *p;
	int source;
	__u64 id;
	struct writer *writer;
	__u32 chunk;
	struct recorder recorder;
	bool is_started;
	bool is_stopping;
};

/* struct order - a queued command */
struct order {
	STAILQ_ENTRY(order) link;
	Command *m;
};

/* struct flush - a pending flush request; @ids, @parts: by slot, 0 = not part of it */
struct flush {
	STAILQ_ENTRY(flush) link;
	__u64 request;
	__u64 ids[INSTANCES_MAX];
	__u64 parts[INSTANCES_MAX];
};

struct producer {
	struct session *s;
	__u64 stream;
	struct instance instances[INSTANCES_MAX];
	STAILQ_HEAD(, order) orders;
	STAILQ_HEAD(, flush) flushes;
	__s64 next_ms;
	__u32 parts;
};

/* Returns the instance with an id; 0: a free slot. */
static struct instance *instance_of(struct producer *p, __u64 id)
{
	for (size_t i = 0; i < INSTANCES_MAX; i++)
		if (p->instances[i].id == id)
			return &p->instances[i];
	return NULL;
}

static int take_part(void *arg, const char *tracefile, const char *packets)
{
	struct instance *i = arg;

	return writer_part(i->writer, ++i->p->parts, tracefile, packets);
}

static void take_error(void *arg, const char *text)
{
	struct instance *i = arg;

	complain_about(source_names[i->source], "%s", text);
	writer_error(i->writer, source_names[i->source], text);
}

static int notify_started(struct producer *p, __u64 id)
{
	Pft__NotifyDataSourceStartedRequest args = PFT__NOTIFY_DATA_SOURCE_STARTED_REQUEST__INIT;

	args.has_data_source_id = true;
	args.data_source_id = id;
	return client_call(&p->s->c, "NotifyDataSourceStarted", &args.base, -1, NULL);
}

static int notify_stopped(struct producer *p, __u64 id)
{
	Pft__NotifyDataSourceStoppedRequest args = PFT__NOTIFY_DATA_SOURCE_STOPPED_REQUEST__INIT;

	args.has_data_source_id = true;
	args.data_source_id = id;
	return client_call(&p->s->c, "NotifyDataSourceStopped", &args.base, -1, NULL);
}

static int record(struct instance *i, const Pft__DataSourceConfig *config)
{
	const bool is_kernel = i->source == SOURCE_KERNEL;
	const struct session *s = i->p->s;
	const char *events = config->legacy_config;
	int ret;

	if (!events || !*events)
		events = is_kernel ? "sched" : "*:*";
	i->recorder.user = (struct recorder_user){ take_part, take_error, i };
	ret = recorder_begin(&i->recorder, events, is_kernel, s->words, is_kernel ? 0 : s->word_nr);
	if (ret)
		take_error(i, strerror(-ret));
	else
		recorder_ask(&i->recorder);
	return 0;
}

static int start_source(struct producer *p, __u64 id, const Pft__DataSourceConfig *config)
{
	struct instance *i = instance_of(p, 0);
	int source = 0;

	while (config && config->name && source < SOURCE_NR &&
	       strcmp(config->name, source_names[source]))
		source++;
	if (!id || !config || !config->name || source == SOURCE_NR)
		return 0;
	if (!i) {
		complain_about(source_names[source], "in too many sessions");
		return notify_started(p, id);
	}
	i->writer = writer_open(&p->s->c, (__u32)(i - p->instances) + 1, i->chunk,
				config->target_buffer);
	if (!i->writer)
		return -ENOMEM;
	i->p = p;
	i->id = id;
	i->source = source;
	i->is_started = i->is_stopping = false;
	return record(i, config);
}

static void free_instance(struct instance *i)
{
	recorder_free(&i->recorder);
	i->chunk = writer_close(i->writer);
	i->writer = NULL;
	i->id = 0;
}

static int stop_source(struct producer *p, __u64 id)
{
	struct instance *i = id ? instance_of(p, id) : NULL;

	if (!i)
		return notify_stopped(p, id);
	i->is_stopping = true;
	recorder_end(&i->recorder);
	return 0;
}

static int begin_flush(struct producer *p, const Pft__GetAsyncCommandResponse__Flush *m)
{
	struct flush *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->request = m->request_id;
	for (size_t n = 0; n < m->n_data_source_ids; n++) {
		const __u64 id = m->data_source_ids[n];
		struct instance *i = id ? instance_of(p, id) : NULL;

		if (!i)
			continue;
		f->ids[i - p->instances] = id;
		f->parts[i - p->instances] = recorder_ask(&i->recorder);
	}
	STAILQ_INSERT_TAIL(&p->flushes, f, link);
	return 0;
}

static bool is_flushed(const struct producer *p, const struct flush *f)
{
	for (size_t n = 0; n < INSTANCES_MAX; n++) {
		const struct instance *i = &p->instances[n];

		if (f->ids[n] && i->id == f->ids[n] && !recorder_is_over(&i->recorder) &&
		    i->recorder.done < f->parts[n])
			return false;
	}
	return true;
}

/* Acknowledges flushes in the order of the requests, as each also acknowledges those before it. */
static int end_flushes(struct producer *p)
{
	Pft__CommitDataRequest args = PFT__COMMIT_DATA_REQUEST__INIT;
	struct flush *f;
	int ret = 0;

	while (!ret && (f = STAILQ_FIRST(&p->flushes)) && is_flushed(p, f)) {
		args.has_flush_request_id = true;
		args.flush_request_id = f->request;
		ret = client_call(&p->s->c, "CommitData", &args.base, -1, NULL);
		STAILQ_REMOVE_HEAD(&p->flushes, link);
		free(f);
	}
	return ret;
}

static int obey(struct producer *p, const Command *m)
{
	switch (m->cmd_case) {
	case PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_START_DATA_SOURCE:
		return start_source(p, m->start_data_source->new_instance_id,
				    m->start_data_source->config);
	case PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_STOP_DATA_SOURCE:
		return stop_source(p, m->stop_data_source->instance_id);
	case PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_FLUSH:
		return begin_flush(p, m->flush);
	default:
		return 0;
	}
}

static int take_command(void *arg, const struct client_reply *r)
{
	struct producer *p = arg;
	struct order *o;

	if (r->request != p->stream || !r->is_good)
		return 0;
	o = calloc(1, sizeof(*o));
	if (!o)
		return -ENOMEM;
	o->m = pft__get_async_command_response__unpack(NULL, r->size, r->data);
	if (!o->m) {
		free(o);
		return -EPROTO;
	}
	STAILQ_INSERT_TAIL(&p->orders, o, link);
	return 0;
}

/* Return: 1: a command was run, 0: none is queued, -errno */
static int obey_next(struct producer *p)
{
	struct order *o = STAILQ_FIRST(&p->orders);
	int ret;

	if (!o)
		return 0;
	STAILQ_REMOVE_HEAD(&p->orders, link);
	ret = obey(p, o->m);
	pft__get_async_command_response__free_unpacked(o->m, NULL);
	free(o);
	return ret ? ret : 1;
}

/* Queues all commands that have arrived, and those that arrive in time. */
static int receive(struct producer *p, int timeout_ms)
{
	struct client_reply r;
	int ret;

	do {
		ret = client_wait(&p->s->c, 0, &r, timeout_ms);
	} while (!ret);
	return ret == -ETIMEDOUT ? 0 : ret;
}

/* Prints the session if no command was given: the user attaches programs to it. */
static void say_session(const struct instance *i)
{
	char *value = i->source == SOURCE_KERNEL || i->p->s->word_nr ? NULL :
		      recorder_session(&i->recorder);

	if (value)
		fprintf(stderr, "ktrace session: %s: programs attach with KTRACE_SESSION=%s\n",
			source_names[i->source], value);
	free(value);
}

static int serve_instance(struct instance *i)
{
	int ret = recorder_serve(&i->recorder);

	/* Reports even a recording that failed as started, so that nobody waits for it. */
	if (!ret && !i->is_started && (i->recorder.done || recorder_is_over(&i->recorder))) {
		if (!recorder_is_over(&i->recorder))
			say_session(i);
		i->is_started = true;
		ret = notify_started(i->p, i->id);
	}
	if (!ret && i->is_stopping && recorder_is_over(&i->recorder)) {
		ret = notify_stopped(i->p, i->id);
		free_instance(i);
	}
	return ret;
}

static int serve(struct producer *p)
{
	const bool is_due = now_ms() >= p->next_ms;
	int ret = 0;

	for (size_t n = 0; !ret && n < INSTANCES_MAX; n++) {
		struct instance *i = &p->instances[n];

		if (!i->id)
			continue;
		if (is_due || recorder_has_much(&i->recorder))
			recorder_ask(&i->recorder);
		ret = serve_instance(i);
	}
	if (is_due)
		p->next_ms = now_ms() + PERIOD_MS;
	return ret ? ret : end_flushes(p);
}

/* Waits for input, or until something is due. Return: 1: from the service or the user; 0, -errno */
static int wait_any(struct producer *p)
{
	struct client *c = &p->s->c;
	struct pollfd fds[2 + 2 * INSTANCES_MAX] = {
		{ .fd = c->fd, .events = POLLIN | (c->out.len ? POLLOUT : 0) },
		{ .fd = c->signal_fd, .events = POLLIN },
	};
	nfds_t nr = 2;
	__s64 left = -1;

	for (size_t n = 0; n < INSTANCES_MAX; n++) {
		const struct instance *i = &p->instances[n];

		if (!i->id)
			continue;
		if (left < 0)
			left = p->next_ms > now_ms() ? p->next_ms - now_ms() : 0;
		if (left > LOOK_MS)
			left = LOOK_MS;
		if (i->is_stopping && left > END_LOOK_MS)
			left = END_LOOK_MS;
		fds[nr++] = (struct pollfd){ .fd = i->recorder.watch_fd, .events = POLLIN };
		fds[nr++] = (struct pollfd){ .fd = i->recorder.said_fd, .events = POLLIN };
	}
	if (poll(fds, nr, (int)left) < 0)
		return errno == EINTR ? 0 : -errno;
	return fds[0].revents || fds[1].revents;
}

static int work(struct producer *p)
{
	int ret;

	do {
		ret = receive(p, 0);
		if (!ret)
			ret = obey_next(p);
		if (ret > 0)
			continue;
		if (!ret)
			ret = serve(p);
		if (!ret && STAILQ_EMPTY(&p->orders))
			ret = wait_any(p);
		if (ret > 0)
			ret = receive(p, 1);
	} while (ret >= 0);
	return ret;
}

static void end(struct producer *p)
{
	struct order *o;
	struct flush *f;

	for (size_t n = 0; n < INSTANCES_MAX; n++)
		if (p->instances[n].id)
			recorder_end(&p->instances[n].recorder);
	for (size_t n = 0; n < INSTANCES_MAX; n++)
		if (p->instances[n].id)
			free_instance(&p->instances[n]);
	while ((o = STAILQ_FIRST(&p->orders))) {
		STAILQ_REMOVE_HEAD(&p->orders, link);
		pft__get_async_command_response__free_unpacked(o->m, NULL);
		free(o);
	}
	while ((f = STAILQ_FIRST(&p->flushes))) {
		STAILQ_REMOVE_HEAD(&p->flushes, link);
		free(f);
	}
}

static int announce(struct session *s, const char *name)
{
	Pft__RegisterDataSourceRequest args = PFT__REGISTER_DATA_SOURCE_REQUEST__INIT;
	Pft__DataSourceDescriptor d = PFT__DATA_SOURCE_DESCRIPTOR__INIT;

	d.name = (char *)name;
	d.has_will_notify_on_start = d.will_notify_on_start = true;
	d.has_will_notify_on_stop = d.will_notify_on_stop = true;
	args.data_source_descriptor = &d;
	return session_ask(s, "RegisterDataSource", &args.base);
}

static int begin(struct producer *p)
{
	Pft__InitializeConnectionRequest hello = PFT__INITIALIZE_CONNECTION_REQUEST__INIT;
	Pft__GetAsyncCommandRequest args = PFT__GET_ASYNC_COMMAND_REQUEST__INIT;
	int ret, status;

	/* First, so that the folders are removed even if a signal ends the process. */
	ret = session_watch_signals(p->s);
	if (ret)
		return session_failed("signals", ret, NULL);
	hello.producer_name = (char *)"ktrace";
	status = session_ask(p->s, "InitializeConnection", &hello.base);
	for (size_t i = 0; i < SOURCE_NR && !status; i++)
		status = announce(p->s, source_names[i]);
	if (status)
		return status;
	p->s->c.other = take_command;
	p->s->c.arg = p;
	ret = client_call(&p->s->c, "GetAsyncCommand", &args.base, -1, &p->stream);
	return ret ? session_failed("GetAsyncCommand", ret, NULL) : STATUS_OK;
}

int session_produce(struct session *s)
{
	/* Not on the stack: contains all instances. */
	static struct producer p;
	int ret, status;

	p.s = s;
	STAILQ_INIT(&p.orders);
	STAILQ_INIT(&p.flushes);
	status = begin(&p);
	if (status)
		return status;
	ret = work(&p);
	end(&p);
	/* The normal end is by SIGINT or SIGTERM. */
	return ret == -EINTR ? STATUS_OK : session_failed("produce", ret, NULL);
}
