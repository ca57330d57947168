// SPDX-License-Identifier: LGPL-2.1
/*
 * recorded.c - pre-recorded streams, read by libktraceset
 *
 * A file is opened only if all of it follows its format and it was closed. So later reads need not
 * check it again; forged contents are harmless.
 */
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ktrace/check.h>
#include <ktrace/traceset.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/search.h"
#include "log_meta.h"
#include "posix/base/event.h"
#include "posix/base/eventset.h"
#include "recorded_meta.h"

#define KINDS 2

/**
 * struct recorded_type - an event type
 * @id:		its id here
 * @kind:	kind of its records, enum ktrace_channel_kind
 * @file_id:	id of its records
 * @name:	its name
 */
struct recorded_type {
	trace_event_id_t id;
	__u32 kind;
	__u32 file_id;
	char name[TRACE_EVENT_NAME_MAX + 1];
};

/**
 * struct posix_recorded - a file being read
 * @lock:	protects @set and @listed
 * @set:	the traceset with the one file
 * @trace:	the file
 * @is_log:	true for a log of a POSIX stream
 * @attr:	attributes
 * @status:	final status
 * @types:	event types by ascending id
 * @type_nr:	number of @types
 * @listed:	number of types returned by ktrace_posix_recorded_next_type()
 */
struct posix_recorded {
	pthread_mutex_t lock;
	struct ktrace_traceset *set;
	const struct ktrace_trace *trace;
	bool is_log;
	struct posix_attr attr;
	struct posix_trace_status_info status;
	struct recorded_type *types;
	size_t type_nr;
	size_t listed;
};

static int add_type(struct posix_recorded *r, const struct recorded_type *type)
{
	if (!LIST_RESIZE(r->types, r->type_nr + 1))
		return ENOMEM;
	r->types[r->type_nr++] = *type;
	return 0;
}

static int add_system_types(struct posix_recorded *r)
{
	struct recorded_type type = { .kind = KTRACE_CHANNEL_USER };
	int ret = 0;

	for (unsigned int i = 0; !ret && (type.id = ktrace_posix_system_id(i)); i++) {
		type.file_id = r->is_log ? POSIX_ID_BASE + type.id : 0;
		strcpy(type.name, ktrace_posix_system_name(type.id));
		ret = add_type(r, &type);
	}
	return ret;
}

/* Builds a user type; returns false if the type cannot be one of a POSIX log. */
static bool make_type(const struct posix_recorded *r, const struct ktrace_event_type *from,
		      struct recorded_type *type)
{
	type->kind = from->kind;
	type->file_id = from->id;
	if (!r->is_log) {
		type->id = POSIX_TRACE_UNNAMED_USEREVENT + 1 +
			   (trace_event_id_t)(r->type_nr - POSIX_PREDEFINED);
		memset(type->name, 0, sizeof(type->name));
		memcpy(type->name, from->full_name,
		       strnlen(from->full_name, TRACE_EVENT_NAME_MAX));
		return true;
	}
	type->id = from->id - POSIX_ID_BASE;
	return type->id > POSIX_TRACE_UNNAMED_USEREVENT &&
	       ktrace_posix_plain_name(type->name, from->full_name);
}

static int add_types(struct posix_recorded *r, __u32 kind)
{
	const struct ktrace_event_type *from;
	struct recorded_type type;
	int ret = 0;

	for (__u32 id = 0; !ret && id < ktrace_trace_types(r->trace, kind); id++) {
		from = ktrace_trace_type(r->trace, kind, id);
		if (from && make_type(r, from, &type))
			ret = add_type(r, &type);
	}
	return ret;
}

static int take_types(struct posix_recorded *r)
{
	int ret = add_system_types(r);

	for (__u32 kind = 0; !ret && kind < KINDS; kind++)
		if (!r->is_log || kind == KTRACE_CHANNEL_USER)
			ret = add_types(r, kind);
	return ret;
}

/* @check: result of checking the whole file */
static int take_trace(struct posix_recorded *r, const struct ktrace_check *check)
{
	struct ktrace_part part;

	r->is_log = ktrace_posix_meta_is_log(r->trace);
	if (!r->is_log) {
		ktrace_posix_meta_guess_attr(r->trace, &r->attr);
		r->status.posix_stream_overrun_status =
			check->lost ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN;
		return take_types(r);
	}
	ktrace_trace_part(r->trace, 0, &part);
	ktrace_posix_meta_read_attr(r->trace, &r->attr);
	if (part.number || !ktrace_posix_meta_is_ours(r->trace) ||
	    !ktrace_posix_attr_is_possible(&r->attr) ||
	    !ktrace_posix_meta_read_status(r->trace, &r->status))
		return EINVAL;
	return take_types(r);
}

static int load(struct posix_recorded *r, int fd)
{
	struct ktrace_traceset_stats stats;
	struct ktrace_check check;
	int ret = ktrace_check_fd(fd, NULL, NULL, &check);

	if (!ret && (check.damaged || !check.is_closed))
		return EINVAL;
	if (!ret)
		ret = ktrace_traceset_open(NULL, &r->set);
	if (!ret)
		ret = ktrace_traceset_add_fd(r->set, fd, "log");
	if (ret)
		return ret == -ENOMEM ? ENOMEM : EINVAL;
	r->trace = ktrace_traceset_trace(r->set, 0);
	ktrace_traceset_stats(r->set, &stats);
	if (stats.damaged || !ktrace_trace_is_closed(r->trace))
		return EINVAL;
	return take_trace(r, &check);
}

int ktrace_posix_recorded_open(int fd, struct posix_recorded **out)
{
	int flags = fcntl(fd, F_GETFL), ret;
	struct posix_recorded *r;

	if (flags < 0 || flags & O_PATH || (flags & O_ACCMODE) == O_WRONLY)
		return EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	ret = load(r, fd);
	if (ret)
		ktrace_posix_recorded_close(r);
	else
		*out = r;
	return ret;
}

void ktrace_posix_recorded_close(struct posix_recorded *r)
{
	ktrace_traceset_close(r->set);
	pthread_mutex_destroy(&r->lock);
	free(r->types);
	free(r);
}

int ktrace_posix_recorded_rewind(struct posix_recorded *r)
{
	int ret;

	pthread_mutex_lock(&r->lock);
	ret = ktrace_traceset_seek(r->set, 0);
	pthread_mutex_unlock(&r->lock);
	return -ret;
}

/* Returns the type of an event that is not from a log; types are ordered by kind and file id. */
static trace_event_id_t type_of(const struct posix_recorded *r, __u32 kind, __u32 file_id)
{
	const struct recorded_type *t = r->types + POSIX_PREDEFINED, *end = r->types + r->type_nr;

	t += PARTITION_POINT(r->type_nr - POSIX_PREDEFINED, i, t[i].kind < kind ||
			     (t[i].kind == kind && t[i].file_id < file_id));
	return t < end && t->kind == kind && t->file_id == file_id ? t->id :
	       POSIX_TRACE_UNNAMED_USEREVENT;
}

/* struct found - an event and its data */
struct found {
	struct posix_trace_event_info info;
	const char *data;
	size_t len;
};

static void take_common(struct found *f, const struct ktrace_trace_event *e)
{
	f->info = (struct posix_trace_event_info){
		.posix_timestamp = { .tv_sec = (time_t)(e->time / NS_PER_S),
				     .tv_nsec = (long)(e->time % NS_PER_S) },
		.posix_truncation_status = e->flags & KTRACE_EVENT_TRUNCATED ?
			POSIX_TRACE_TRUNCATED_RECORD : POSIX_TRACE_NOT_TRUNCATED,
	};
	f->data = e->payload;
	f->len = e->len;
}

/* Takes an event of a log; returns false if it is not a POSIX event. */
static bool take_event(struct found *f, const struct ktrace_trace_event *e)
{
	struct ktrace_posix_event head;

	if (e->id <= POSIX_ID_BASE || e->len < sizeof(head))
		return false;
	take_common(f, e);
	memcpy(&head, e->payload, sizeof(head));
	f->info.posix_event_id = e->id - POSIX_ID_BASE;
	f->info.posix_pid = (pid_t)head.pid;
	f->info.posix_prog_address = (void *)(uintptr_t)head.address;
	f->info.posix_thread_id = (pthread_t)head.thread;
	f->data += sizeof(head);
	f->len -= sizeof(head);
	return true;
}

static void take_other(const struct posix_recorded *r, struct found *f,
		       const struct ktrace_trace_event *e)
{
	take_common(f, e);
	f->info.posix_event_id = type_of(r, e->stream->kind, e->id);
	f->info.posix_pid = (pid_t)ktrace_trace_pid(r->trace, e->tid, e->raw);
	f->info.posix_thread_id = (pthread_t)e->tid;
	if (e->id != KTRACE_ID_LOST)
		return;
	f->info.posix_event_id = POSIX_TRACE_OVERFLOW;
	f->info.posix_pid = 0;
	f->info.posix_thread_id = 0;
	f->len = 0;
}

/* Returns 1, 0 at the end, or -ENOMEM. */
static int find_next(struct posix_recorded *r, struct found *f)
{
	struct ktrace_trace_event e;
	int ret;

	do {
		ret = ktrace_traceset_next(r->set, &e);
		if (ret <= 0)
			return ret;
	} while (r->is_log && (e.id == KTRACE_ID_LOST || !take_event(f, &e)));
	if (!r->is_log)
		take_other(r, f, &e);
	return 1;
}

int ktrace_posix_recorded_next(struct posix_recorded *r, struct posix_trace_event_info *event,
			       void *data, size_t num_bytes, size_t *data_len, int *unavailable)
{
	struct found f;
	int ret;

	pthread_mutex_lock(&r->lock);
	ret = find_next(r, &f);
	if (ret == 1) {
		if (f.len > num_bytes) {
			f.info.posix_truncation_status = POSIX_TRACE_TRUNCATED_READ;
			f.len = num_bytes;
		}
		*event = f.info;
		*data_len = f.len;
		if (f.len)
			memcpy(data, f.data, f.len);
	}
	pthread_mutex_unlock(&r->lock);
	if (ret < 0)
		return -ret;
	*unavailable = !ret;
	return 0;
}

void ktrace_posix_recorded_attr(const struct posix_recorded *r, struct posix_attr *out)
{
	*out = r->attr;
}

void ktrace_posix_recorded_status(const struct posix_recorded *r,
				  struct posix_trace_status_info *out)
{
	*out = r->status;
}

const char *ktrace_posix_recorded_name(const struct posix_recorded *r, trace_event_id_t id)
{
	const size_t at = PARTITION_POINT(r->type_nr, i, r->types[i].id < id);

	return at < r->type_nr && r->types[at].id == id ? r->types[at].name : NULL;
}

trace_event_id_t ktrace_posix_recorded_next_type(struct posix_recorded *r)
{
	trace_event_id_t next = 0;

	pthread_mutex_lock(&r->lock);
	if (r->listed < r->type_nr)
		next = r->types[r->listed++].id;
	pthread_mutex_unlock(&r->lock);
	return next;
}

void ktrace_posix_recorded_rewind_types(struct posix_recorded *r)
{
	pthread_mutex_lock(&r->lock);
	r->listed = 0;
	pthread_mutex_unlock(&r->lock);
}
