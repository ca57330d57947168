/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * stream.h - an active stream: its session, its slot in the registry, its reader
 *
 * Used by controllers, for streams without a log, and by keepers. Only one thread at a time may
 * call these functions, except those for slots.
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
 * struct posix_item - an event of a stream as read
 * @rec:	header: raw stamp, id, thread, KTRACE_REC_TRUNCATED
 * @head:	start of the payload
 * @data:	@head.size bytes, valid until the next use of the stream
 * @time:	@rec.ts as CLOCK_REALTIME
 */
struct posix_item {
	struct ktrace_record rec;
	struct ktrace_posix_event head;
	const void *data;
	struct timespec time;
};

/**
 * ktrace_posix_stream_create - create a stream, suspended
 * @attr:	final attributes, with the policy set; the creation time is filled in
 * @pid:	process to trace, or POSIX_TRACE_ALLPROC; exists, and may be traced
 * @controller:	owner of the stream: its controller, or the keeper in its place
 * @registry:	registry of the traced process's user; NULL: ENOMEM
 * @out:	the stream
 *
 * Return: 0; EAGAIN with the maximum number of streams; EINVAL invalid sizes; ENOMEM, also without
 * a free slot for the process; ESRCH.
 */
int ktrace_posix_stream_create(struct posix_attr *attr, pid_t pid,
			       const struct posix_owner *controller,
				       struct posix_registry *registry,
			       struct posix_stream **out);

/** ktrace_posix_stream_destroy - end a stream; unread events are lost; NULL is allowed */
void ktrace_posix_stream_destroy(struct posix_stream *s);

/** ktrace_posix_stream_forget - free a forked child's copy of its parent's stream */
void ktrace_posix_stream_forget(struct posix_stream *s);

/** ktrace_posix_stream_start - like posix_trace_start(); @address: its caller */
void ktrace_posix_stream_start(struct posix_stream *s, const void *address);
/** ktrace_posix_stream_stop - like posix_trace_stop() */
void ktrace_posix_stream_stop(struct posix_stream *s, const void *address);
/** ktrace_posix_stream_clear - like posix_trace_clear() */
void ktrace_posix_stream_clear(struct posix_stream *s);

void ktrace_posix_stream_get_filter(const struct posix_stream *s, trace_event_set_t *set);
int ktrace_posix_stream_set_filter(struct posix_stream *s, const trace_event_set_t *set, int how,
				   const void *address);

/** ktrace_posix_stream_is_recording - true if it runs, or will restart once it has been read */
bool ktrace_posix_stream_is_recording(const struct posix_stream *s);

/** ktrace_posix_stream_mark - record a system event without data: FLUSH_START, _STOP */
void ktrace_posix_stream_mark(struct posix_stream *s, trace_event_id_t id, const void *address);

/** ktrace_posix_stream_status - get the status without that of a log; resets the overrun */
void ktrace_posix_stream_status(struct posix_stream *s, struct posix_trace_status_info *info);

const struct posix_attr *ktrace_posix_stream_attr(const struct posix_stream *s);
struct posix_registry *ktrace_posix_stream_registry(const struct posix_stream *s);
/** ktrace_posix_stream_place - get its slot in the registry */
struct posix_registry_stream *ktrace_posix_stream_place(const struct posix_stream *s);
struct ktrace_session *ktrace_posix_stream_session(const struct posix_stream *s);

/** ktrace_posix_stream_nr - get the number of its slot in the registry */
__u32 ktrace_posix_stream_nr(const struct posix_stream *s);

/** ktrace_posix_stream_has_news - true if there may be an event other than flush marks */
bool ktrace_posix_stream_has_news(struct posix_stream *s);

/**
 * ktrace_posix_stream_next - get the next event, in order
 *
 * Return: true if there is one.
 */
bool ktrace_posix_stream_next(struct posix_stream *s, struct posix_item *item);

/** ktrace_posix_stream_most - get the maximum number of events to read, marks included */
size_t ktrace_posix_stream_most(const struct posix_stream *s);

/** ktrace_posix_stream_is_full - true if it has stopped, or half of a ring is unread */
bool ktrace_posix_stream_is_full(struct posix_stream *s);
/** ktrace_posix_stream_is_steered - true if its controller's events take half of its size */
bool ktrace_posix_stream_is_steered(const struct posix_stream *s);

/**
 * ktrace_posix_place_listen - announce a reader; call it before checking for events
 * @place:	the stream's slot in the registry; NULL = unknown
 *
 * Writers wake the reader from now on.
 *
 * Return: the value to pass to ktrace_posix_place_wait().
 */
__u32 ktrace_posix_place_listen(struct posix_registry_stream *place);

/**
 * ktrace_posix_place_wait - sleep until there is something new, or for a while
 * @place:	as for ktrace_posix_place_listen()
 * @news:	result of ktrace_posix_place_listen()
 * @timeout_ms:	maximum time
 *
 * A cancellation point: the caller holds no lock.
 * Return: false on a timeout.
 */
bool ktrace_posix_place_wait(struct posix_registry_stream *place, __u32 news, long timeout_ms);

/** ktrace_posix_place_wake - wake all waiting readers */
void ktrace_posix_place_wake(struct posix_registry_stream *place);

#endif
