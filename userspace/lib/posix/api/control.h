/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * control.h - an active stream as seen by its controller
 *
 * A function of <trace.h> takes a reference to the object of a trid, then the stream's lock.
 * Meanwhile cancellation is disabled; errno is preserved.
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
 * @lock:	protects the stream
 * @stream:	the stream, if it is in this process; or
 * @client:	the connection to its keeper
 * @place:	its slot in the registry of this process's user; NULL: another user's registry
 * @has_log:	true if it has a log
 * @is_ended:	true while it is being shut down
 * @to_list:	event types that posix_trace_eventtypelist_getnext_id() has yet to return: all types
 *		not in @listed, as of the last time this became empty
 * @listed:	types returned since the list was rewound
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

/* The objects of one call. @control: NULL for a recorded stream. */
struct posix_call {
	struct posix_trid *trid;
	struct posix_control *control;
	struct posix_caller caller;
};

/** ktrace_posix_call_begin - begin a call. Return: false if @trid is invalid */
bool ktrace_posix_call_begin(struct posix_call *c, trace_id_t trid);

/** ktrace_posix_call_end - end a call. Return: @error */
int ktrace_posix_call_end(struct posix_call *c, int error);

/* Event types of a stream. Return: 0; EINVAL if its keeper is gone. */
/** ktrace_posix_control_open_type - get the id of a name; the unnamed type's if there is no room */
int ktrace_posix_control_open_type(struct posix_control *c, const char *name,
				   trace_event_id_t *id);

/** ktrace_posix_control_type_name - get the name of a user event type; EINVAL: none */
int ktrace_posix_control_type_name(struct posix_control *c, trace_event_id_t id, char *name);

/** ktrace_posix_control_next_type - get the next event type of the list, 0 = none */
int ktrace_posix_control_next_type(struct posix_control *c, trace_event_id_t *next);

/** ktrace_posix_control_rewind_types - restart the list of types */
void ktrace_posix_control_rewind_types(struct posix_control *c);

/** ktrace_posix_control_interrupt - make waiting readers of the stream return EINVAL */
void ktrace_posix_control_interrupt(struct posix_control *c);

/** ktrace_posix_control_forget - free a forked child's copy of its parent's stream */
void ktrace_posix_control_forget(struct posix_control *c);

#endif
