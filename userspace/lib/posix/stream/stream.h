/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * stream.h - an active stream: its session, its place in the registry, its reader
 *
 * The same in a controller, for streams without log, and in a keeper. One thread at a time
 * calls these functions, but for those of places.
 *
 * All return 0 or an error number.
 */
#ifndef KTRACE_POSIX_STREAM_STREAM_H
#define KTRACE_POSIX_STREAM_STREAM_H

#include <stdbool.h>
#include <ktrace/session.h>
#include "posix/base/attr.h"
#include "posix/base/event.h"
#include "posix/base/eventset.h"
#include "posix/registry/registry_shm.h"

struct posix_stream;

/**
 * struct posix_item - an event of a stream, as it is read
 * @rec:	header: raw stamp, id, thread, KTRACE_REC_TRUNCATED
 * @head:	payload's beginning
 * @data:	@head.size bytes, valid until the stream is used again
 * @time:	@rec.ts as CLOCK_REALTIME
 */
struct posix_item {
	struct ktrace_record rec;
	struct ktrace_posix_event head;
	const void *data;
	struct timespec time;
};

/**
 * ktrace_posix_stream_create - make a stream, suspended
 * @attr:	as they are to be used: the policy is set; creation time is filled in
 * @pid:	who is traced, or POSIX_TRACE_ALLPROC; exists, and may be traced
 * @controller:	who the stream belongs to: its controller, or the keeper that has it for that
 * @registry:	of the user of the traced process; NULL: ENOMEM
 * @out:	the stream
 *
 * Return: 0; EAGAIN as many streams as there can be; EINVAL sizes; ENOMEM, also of places for
 * processes; ESRCH.
 */
int ktrace_posix_stream_create(struct posix_attr *attr, pid_t pid,
			       const struct posix_owner *controller,
				       struct posix_registry *registry,
			       struct posix_stream **out);

/** ktrace_posix_stream_destroy - end it, unread events are gone; takes NULL */
void ktrace_posix_stream_destroy(struct posix_stream *s);

/** ktrace_posix_stream_forget - in a forked child: free what it has of its parent's stream */
void ktrace_posix_stream_forget(struct posix_stream *s);

/** ktrace_posix_stream_start - as posix_trace_start(); @address: who called that */
void ktrace_posix_stream_start(struct posix_stream *s, const void *address);
/** ktrace_posix_stream_stop - as posix_trace_stop() */
void ktrace_posix_stream_stop(struct posix_stream *s, const void *address);
/** ktrace_posix_stream_clear - as posix_trace_clear() */
void ktrace_posix_stream_clear(struct posix_stream *s);

void ktrace_posix_stream_get_filter(const struct posix_stream *s, trace_event_set_t *set);
int ktrace_posix_stream_set_filter(struct posix_stream *s, const trace_event_set_t *set, int how,
				   const void *address);

/** ktrace_posix_stream_is_recording - it runs, or restarts when what it is full of has been read */
bool ktrace_posix_stream_is_recording(const struct posix_stream *s);

/** ktrace_posix_stream_mark - record an event of the system without data: FLUSH_START, _STOP */
void ktrace_posix_stream_mark(struct posix_stream *s, trace_event_id_t id, const void *address);

/** ktrace_posix_stream_status - what is known without a log; the overrun is reset */
void ktrace_posix_stream_status(struct posix_stream *s, struct posix_trace_status_info *info);

const struct posix_attr *ktrace_posix_stream_attr(const struct posix_stream *s);
struct posix_registry *ktrace_posix_stream_registry(const struct posix_stream *s);
/** ktrace_posix_stream_place - its place in the registry */
struct posix_registry_stream *ktrace_posix_stream_place(const struct posix_stream *s);
struct ktrace_session *ktrace_posix_stream_session(const struct posix_stream *s);

/** ktrace_posix_stream_nr - its place in the registry */
__u32 ktrace_posix_stream_nr(const struct posix_stream *s);

/** ktrace_posix_stream_has_news - whether there may be an event, but for marks of flushes */
bool ktrace_posix_stream_has_news(struct posix_stream *s);

/**
 * ktrace_posix_stream_next - the next event, in order
 *
 * Return: whether there is one.
 */
bool ktrace_posix_stream_next(struct posix_stream *s, struct posix_item *item);

/** ktrace_posix_stream_most - as many events as there can be to read, marks of gaps and stops */
size_t ktrace_posix_stream_most(const struct posix_stream *s);

/** ktrace_posix_stream_is_full - whether it has stopped, or half of a ring waits to be read */
bool ktrace_posix_stream_is_full(struct posix_stream *s);
/** ktrace_posix_stream_is_steered - whether its controller's own events take half of its size */
bool ktrace_posix_stream_is_steered(const struct posix_stream *s);

/**
 * ktrace_posix_place_listen - before a look for events: what wait() compares with
 * @place:	of the stream in the registry; NULL = not known
 *
 * Writers wake the reader from now on.
 */
__u32 ktrace_posix_place_listen(struct posix_registry_stream *place);

/**
 * ktrace_posix_place_wait - sleep until there is something new, or for a while
 * @place:	the same
 * @news:	of ktrace_posix_place_listen()
 * @timeout_ms:	the longest
 *
 * A cancellation point: the caller holds no lock.
 * Return: false: the time is over.
 */
bool ktrace_posix_place_wait(struct posix_registry_stream *place, __u32 news, long timeout_ms);

/** ktrace_posix_place_wake - end all waits */
void ktrace_posix_place_wake(struct posix_registry_stream *place);

#endif
