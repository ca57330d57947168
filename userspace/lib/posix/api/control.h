/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * control.h - an active stream, seen from its controller
 *
 * A function of <trace.h> takes a reference to what a trid stands for, then the lock of the
 * stream. Cancellation is off meanwhile, and errno is kept.
 */
#ifndef KTRACE_POSIX_API_CONTROL_H
#define KTRACE_POSIX_API_CONTROL_H

#include <pthread.h>
#include "caller.h"
#include "posix/keeper/client.h"
#include "posix/stream/stream.h"
#include "trid.h"

/**
 * struct posix_control - an active stream of this process
 * @lock:	for the stream
 * @stream:	it is in this process; or
 * @client:	in a keeper
 * @place:	in the registry of this process's user; NULL: of another user
 * @has_log:	it has a log
 * @is_ended:	it is being shut down
 * @to_list:	event types for posix_trace_eventtypelist_getnext_id(): all that there were when it
 *		had given all it knew of, but for those that it has given
 * @listed:	those that it has given since the list was rewound
 */
struct posix_control {
	pthread_mutex_t lock;
	struct posix_stream *stream;
	struct posix_client *client;
	struct posix_registry_stream *place;
	bool has_log;
	bool is_ended;
	trace_event_set_t to_list;
	trace_event_set_t listed;
};

/* What one call works on. @control: NULL, it is a recorded stream. */
struct posix_call {
	struct posix_trid *trid;
	struct posix_control *control;
	struct posix_caller caller;
};

/** ktrace_posix_call_begin - begin a call. Return: false: @trid is none */
bool ktrace_posix_call_begin(struct posix_call *c, trace_id_t trid);

/** ktrace_posix_call_end - end it. Return: @error */
int ktrace_posix_call_end(struct posix_call *c, int error);

/*
 * Event types of a stream. Return: 0; EINVAL: its keeper is gone.
 */
/** ktrace_posix_control_open_type - the id of a name; the unnamed one's if there is no room */
int ktrace_posix_control_open_type(struct posix_control *c, const char *name,
				   trace_event_id_t *id);

/** ktrace_posix_control_type_name - the name of an event type of programs; EINVAL: none */
int ktrace_posix_control_type_name(struct posix_control *c, trace_event_id_t id, char *name);

/** ktrace_posix_control_next_type - the next event type of the list, 0 = none */
int ktrace_posix_control_next_type(struct posix_control *c, trace_event_id_t *next);

/** ktrace_posix_control_rewind_types - the list begins with its first one again */
void ktrace_posix_control_rewind_types(struct posix_control *c);

/** ktrace_posix_control_interrupt - who waits for events of the stream returns with EINVAL */
void ktrace_posix_control_interrupt(struct posix_control *c);

/** ktrace_posix_control_forget - in a forked child: free what it has of its parent's stream */
void ktrace_posix_control_forget(struct posix_control *c);

#endif
