// SPDX-License-Identifier: GPL-2.0
/* clone.c - copies another session's buffers, to be read while that session goes on */
#include "clone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "disk.h"
#include "file.h"
#include "flush.h"
#include "producer.h"
#include "service/buffer/sequence_ids.h"
#include "service/buffer/trace_buffer.h"
#include "service/ipc/message.h"
#include "service_packets.h"

#define ANY_FOR_REPORT UINT64_MAX
#define CLONE_FOR_REPORT 0x100u

/*
 *	disk_open() -> flush -> copy of the buffers -> copy of the file -> what is in the buffers
 *	(of a session that writes into a file)          (of such a session)
 *
 * Copies the buffers as they are after the flush, one block per step; likewise the file. If the
 * consumer disconnects, which it may at any time, callbacks are dropped.
 */
struct clone {
	struct consumer *consumer;
	struct call call;
	Pft__CloneSessionRequest *request;
	uint64_t from;			/* id of the original */
	struct session *made;		/* the copy, NULL: not yet */
	struct work work;		/* copies its buffers */
	size_t buffer;			/* index of the current one */
	struct disk *disk;		/* file of the copy, NULL: none, or handed over */
	struct disk_part part;		/* of the original's file; fd -1: none, or handed over */
	struct batch pending;		/* follows the part in the file */
};

static void answer(struct clone *c, const struct session *made, const char *error)
{
	Pft__CloneSessionResponse r = PFT__CLONE_SESSION_RESPONSE__INIT;

	r.has_success = true;
	r.success = made != NULL;
	r.error = made ? NULL : (char *)error;
	r.has_uuid_lsb = r.has_uuid_msb = made != NULL;
	r.uuid_lsb = made ? made->uuid[0] : 0;
	r.uuid_msb = made ? made->uuid[1] : 0;
	r.has_session_id = made != NULL;
	r.session_id = made ? made->id : 0;
	r.has_was_write_into_file = true;
	r.was_write_into_file = made && made->file.is_used;
	connection_reply(c->consumer->peer, &c->call, &r.base);
}

static void free_clone(struct clone *c)
{
	work_stop(&c->consumer->service->works, &c->work);
	if (c->disk)
		disk_close(c->disk, false);
	if (c->part.fd >= 0)
		connection_close_fd(c->consumer->peer, c->part.fd);
	batch_exit(&c->pending);
	pft__clone_session_request__free_unpacked(c->request, NULL);
	free(c);
}

/* Considers only sessions that the user may access: the score grants nothing. */
static struct session *best_for_report(const struct service *s, uid_t uid)
{
	struct session *session, *best = NULL;
	int32_t score = 0;

	TAILQ_FOREACH(session, &s->sessions, link) {
		if (session->state != SESSION_STARTED || !session_allows(session, uid) ||
		    session->config->bugreport_score <= score)
			continue;
		best = session;
		score = session->config->bugreport_score;
	}
	return best;
}

static struct session *by_name(const struct service *s, const char *name)
{
	struct session *session;

	TAILQ_FOREACH(session, &s->sessions, link)
		if (session->state != SESSION_CLONED && session->config->unique_session_name &&
		    !strcmp(session->config->unique_session_name, name))
			return session;
	return NULL;
}

static struct session *find(const struct consumer *c, const Pft__CloneSessionRequest *request)
{
	const struct service *s = c->service;

	switch (request->selector_case) {
	case PFT__CLONE_SESSION_REQUEST__SELECTOR_SESSION_ID:
		return request->session_id == ANY_FOR_REPORT ?
		       best_for_report(s, c->peer->cred.uid) :
		       session_find(s, request->session_id);
	case PFT__CLONE_SESSION_REQUEST__SELECTOR_UNIQUE_SESSION_NAME:
		return by_name(s, request->unique_session_name);
	default:
		return NULL;
	}
}

/*
 * Takes over the buffer with transfer_on_clone, leaving an empty one of the same kind; else
 * copies.
 */
static int take_buffer(struct session *from, size_t i, struct trace_buffer **out)
{
	const Pft__TraceConfig__BufferConfig *wish = from->config->buffers[i];
	struct trace_buffer *fresh;
	int error;

	if (!wish->transfer_on_clone)
		return trace_buffer_copy_begin(from->buffers[i].trace, out);
	error = trace_buffer_alloc(&fresh, wish->size_kb * (size_t)1024,
				   wish->fill_policy ==
				   PFT__TRACE_CONFIG__BUFFER_CONFIG__FILL_POLICY__DISCARD ?
				   TRACE_BUFFER_DISCARD : TRACE_BUFFER_RING);
	if (error)
		return error;
	*out = from->buffers[i].trace;
	from->buffers[i].trace = fresh;
	trace_buffer_finish(*out);
	return 0;
}

static bool begin_buffers(struct session *to, struct session *from)
{
	to->buffers = calloc(from->buffer_nr + 1, sizeof(*to->buffers));
	if (!to->buffers)
		return false;
	for (size_t i = 0; i < from->buffer_nr; i++) {
		struct buffer *b = &to->buffers[i];

		b->session = to;
		if (take_buffer(from, i, &b->trace))
			return false;
		if (service_add_buffer(to->service, b)) {
			trace_buffer_free(b->trace);
			return false;
		}
		to->buffer_nr++;
		service_packets_buffer_cloned(to, (uint32_t)i);
	}
	return true;
}

/* The copy is a trace of its own, but keeps the name, times and counts of the original. */
static void copy_facts(struct session *to, struct session *from)
{
	to->state = SESSION_CLONED;
	to->duration_ms = from->duration_ms;
	to->start_realtime_ns = from->start_realtime_ns;
	to->flush_counts = from->flush_counts;
	to->invalid_packets = from->invalid_packets;
	to->packets_lost = to->lost_before = from->packets_lost;
	to->packets_too_large = to->too_large_before = from->packets_too_large;
	to->was_triggered = from->was_triggered;
	service_packets_copy(to, from);
}

static void note_trigger(struct session *to, const Pft__CloneSessionRequest *request)
{
	const struct trigger_hit hit = {
		.boot_ns = request->clone_trigger_boot_time_ns, .name = request->clone_trigger_name,
		.producer = request->clone_trigger_producer_name,
		.uid = (uid_t)request->clone_trigger_trusted_producer_uid,
		.delay_ms = request->clone_trigger_delay_ms,
	};

	if (hit.name && *hit.name)
		service_packets_trigger(to, &hit, true);
}

static struct session *make(struct clone *c, struct session *from, bool is_flushed)
{
	Pft__TraceConfig *config = (void *)message_copy(&from->config->base);
	uid_t uid = c->consumer->peer->cred.uid;
	struct session *to = config ? session_alloc(from->service, config, uid) : NULL;

	if (!to)
		return NULL;
	copy_facts(to, from);
	session_set_uuid(to, NULL);
	session_publish(to);
	if (!begin_buffers(to, from) || sequence_ids_copy(&to->numbers, &from->numbers) ||
	    (!c->request->skip_trace_filter && !session_load_filter(to, NULL))) {
		session_free(to, NULL);
		return NULL;
	}
	to->flush_counts.final = is_flushed ?
		PFT__TRACE_STATS__FINAL_FLUSH_OUTCOME__FINAL_FLUSH_SUCCEEDED :
		PFT__TRACE_STATS__FINAL_FLUSH_OUTCOME__FINAL_FLUSH_FAILED;
	service_packets_event(to, SERVICE_PACKETS_CLONE_STARTED, true);
	note_trigger(to, c->request);
	return to;
}

/* @error: why there is no copy, or no longer one */
static void finish(struct clone *c, const char *error)
{
	c->consumer->cloning = NULL;
	if (c->made && error)
		session_free(c->made, NULL);
	answer(c, error ? NULL : c->made, error);
	free_clone(c);
}

/* Writes the contents of the buffers after the copy of the original's file. */
static void copied(void *arg, int error, uint64_t size)
{
	struct clone *c = arg;
	char text[SESSION_ERROR_MAX];

	(void)size;
	if (error) {
		snprintf(text, sizeof(text), "The file could not be copied: %s", strerror(-error));
		finish(c, text);
		return;
	}
	file_take(c->made, c->disk);
	c->made->file.max = UINT64_MAX;
	c->disk = NULL;
	file_close(c->made);
}

void clone_written(struct session *session)
{
	char error[SESSION_ERROR_MAX];

	finish(session->consumer->cloning, file_failed(session, error) ? error : NULL);
}

void clone_freed(struct session *session)
{
	struct clone *c = session->consumer->cloning;

	if (!c || c->made != session)
		return;
	c->made = NULL;
	finish(c, "The copy was ended before it was complete");
}

/* Takes what is in the original's file, or on its way there, at this moment. */
static bool take_file(struct clone *c, struct session *to, const struct session *from)
{
	if (!from->file.disk || !c->disk)
		return true;
	c->part = disk_part(from->file.disk, from->file.written);
	/* From now on the contents of its buffers belong after the copied part. */
	to->file.is_used = true;
	return c->part.fd >= 0 && file_pending(from, &c->pending);
}

static bool copy_next(void *arg)
{
	struct clone *c = arg;
	struct session *to = c->made;

	if (c->buffer < to->buffer_nr) {
		c->buffer += !trace_buffer_copy_step(to->buffers[c->buffer].trace);
		return true;
	}
	c->consumer->session = to;
	connection_resume(c->consumer->peer);
	if (!to->file.is_used) {
		finish(c, NULL);
		return false;
	}
	disk_then(c->disk, copied, c);
	disk_copy(c->disk, &c->part, &c->pending);
	c->part.fd = -1;
	return false;
}

static void flushed(struct session *from, void *arg, bool is_done)
{
	struct clone *c = arg;
	struct consumer *consumer = c->consumer;
	char room[SESSION_ERROR_MAX];
	struct session *to;

	/* Other clones may have been made since the request. */
	if (!from) {
		finish(c, "Original session ended");
		return;
	}
	if (!check_numbers(from->service, consumer->peer->cred.uid, true, room)) {
		finish(c, room);
		return;
	}
	to = consumer->session || consumer->opening ? NULL : make(c, from, is_done);
	if (to && !take_file(c, to, from)) {
		session_free(to, NULL);
		to = NULL;
	}
	if (!to) {
		finish(c, "The buffers could not be copied");
		return;
	}
	/* The consumer gets it when it is complete; its calls wait until then. */
	to->consumer = consumer;
	c->made = to;
	connection_pause(consumer->peer);
	work_begin(&from->service->works, &c->work);
}

/* The contents of a buffer before it was cleared, freed in steps even if the session ends. */
struct cleared {
	struct work work;
	struct trace_buffer *trace;
};

static bool free_cleared(void *arg)
{
	struct cleared *cleared = arg;

	if (trace_buffer_free_step(cleared->trace))
		return true;
	free(cleared);
	return false;
}

static bool clear(struct service *s, struct trace_buffer *trace)
{
	struct cleared *cleared = calloc(1, sizeof(*cleared));

	if (!cleared || trace_buffer_clear(trace, &cleared->trace)) {
		free(cleared);
		return false;
	}
	cleared->work = (struct work) { .owner = WORK_OF_SESSION, .step = free_cleared,
					.arg = cleared };
	work_begin(&s->works, &cleared->work);
	return true;
}

static void begin_flush(struct clone *c, struct session *from)
{
	uint64_t flags = FLUSH_BY_SERVICE | FLUSH_CLONE;

	for (size_t i = 0; i < from->buffer_nr; i++)
		if (from->config->buffers[i]->clear_before_clone &&
		    !clear(from->service, from->buffers[i].trace)) {
			finish(c, "The buffers could not be cleared: out of memory");
			return;
		}
	if (c->request->for_bugreport)
		flags |= CLONE_FOR_REPORT;
	flush_start(from, 0, flags, flushed, c);
}

static void opened(void *arg, int error, uint64_t size)
{
	struct clone *c = arg;
	struct session *from = session_find(c->consumer->service, c->from);

	(void)size;
	if (error)
		finish(c, disk_error(error));
	else if (!from)
		finish(c, "Original session ended");
	else
		begin_flush(c, from);
}

static const char *why_not(const struct consumer *c, const struct session *from, int fd,
			   char *error)
{
	if (c->session)
		return "This connection already has a session: call FreeBuffers() first";
	if (c->cloning)
		return "This connection is already cloning a session";
	if (!from)
		return "Tracing session not found";
	if (!session_allows(from, c->peer->cred.uid))
		return "Not allowed to clone a session from another UID";
	if (from->state == SESSION_CLONED && from->file.is_used)
		return "A copy that goes into a file cannot be cloned";
	if (from->state == SESSION_CLONED && from->consumer && from->consumer->cloning)
		return "This session is itself still being copied";
	if (from->file.disk && fd < 0)
		return "A clone of a session that writes into a file needs the descriptor of "
		       "another file";
	return check_numbers(c->service, c->peer->cred.uid, true, error) ? NULL : error;
}

static struct clone *begin(struct consumer *c, const struct call *call,
			   const Pft__CloneSessionRequest *request)
{
	struct clone *clone = calloc(1, sizeof(*clone));

	if (!clone)
		return NULL;
	clone->request = (void *)message_copy(&request->base);
	if (!clone->request) {
		free(clone);
		return NULL;
	}
	clone->consumer = c;
	clone->call = *call;
	clone->part.fd = -1;
	clone->work = (struct work) { .owner = WORK_OF_SESSION, .step = copy_next, .arg = clone };
	c->cloning = clone;
	return clone;
}

/* Takes @fd, which only a session that writes into a file needs. */
static void go_on(struct clone *c, struct session *from, int fd)
{
	int error;

	c->from = from->id;
	if (!from->file.disk) {
		if (fd >= 0)
			connection_close_fd(c->consumer->peer, fd);
		begin_flush(c, from);
		return;
	}
	error = disk_open(&c->disk, c->consumer->peer, NULL, fd);
	if (error) {
		connection_close_fd(c->consumer->peer, fd);
		finish(c, disk_error(error));
		return;
	}
	disk_then(c->disk, opened, c);
}

void clone_session(struct consumer *c, struct call *call, const Pft__CloneSessionRequest *request,
		   int fd)
{
	struct clone refused = { .consumer = c, .call = *call }, *clone;
	struct session *from = find(c, request);
	char room[SESSION_ERROR_MAX];
	const char *error = why_not(c, from, fd, room);

	clone = error ? NULL : begin(c, call, request);
	if (clone) {
		go_on(clone, from, fd);
		return;
	}
	if (fd >= 0)
		connection_close_fd(c->peer, fd);
	answer(&refused, NULL, error ? error : "out of memory");
}

void clone_forget(struct consumer *c)
{
	struct session *to = c->cloning ? c->cloning->made : NULL;

	if (!c->cloning)
		return;
	flush_forget(c->service, c->cloning);
	free_clone(c->cloning);
	c->cloning = NULL;
	if (to && !c->session)
		session_free(to, NULL);
}
