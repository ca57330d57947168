// SPDX-License-Identifier: LGPL-2.1
/*
 * types.c - event types of a stream: posix_trace_eventid_*() and posix_trace_eventtypelist_*()
 *
 * Types of an active stream come from the registry, those of a pre-recorded stream from its file.
 */
#include <trace.h>

#include <string.h>

#include "control.h"
#include "posix/base/eventset.h"
#include "posix/log/recorded.h"

/**
 * posix_trace_trid_eventid_open - get the event type of a name, as the controller
 * @trid:	an active stream
 * @event_name:	at most TRACE_EVENT_NAME_MAX bytes
 * @event:	out: the type that the program gets, or already has, for this name (PTRC-55);
 *		POSIX_TRACE_UNNAMED_USEREVENT if the name is new and there is no room for more
 *
 * Return: 0; EINVAL not an active stream of this process, or NULL; ENAMETOOLONG.
 */
int posix_trace_trid_eventid_open(trace_id_t trid, const char *restrict event_name,
				  trace_event_id_t *restrict event)
{
	struct posix_call c;
	int error = EINVAL;

	if (!ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	if (c.control && event_name && event)
		error = strnlen(event_name, TRACE_EVENT_NAME_MAX + 1) > TRACE_EVENT_NAME_MAX
			? ENAMETOOLONG
			: ktrace_posix_control_open_type(c.control, event_name, event);
	return ktrace_posix_call_end(&c, error);
}

/**
 * posix_trace_eventid_equal - true if two event types are the same (PTRC-56)
 *
 * In a stream each type has one id.
 *
 * Return: not 0 if they are the same.
 */
int posix_trace_eventid_equal(trace_id_t trid, trace_event_id_t event1, trace_event_id_t event2)
{
	(void)trid;
	return event1 == event2;
}

/* Returns 0 or EINVAL. */
static int name_of(const struct posix_call *c, trace_event_id_t event, char *name)
{
	const char *known = c->control ? ktrace_posix_system_name(event) :
			    ktrace_posix_recorded_name(c->trid->recorded, event);

	if (known)
		strcpy(name, known);
	else if (c->control)
		return ktrace_posix_control_type_name(c->control, event, name);
	return known ? 0 : EINVAL;
}

/**
 * posix_trace_eventid_get_name - get the name of an event type (PTRC-56, PTRC-57)
 * @trid:	a stream, active or pre-recorded
 * @event:	the type
 * @event_name:	out: TRACE_EVENT_NAME_MAX + 1 bytes
 *
 * Return: 0; EINVAL not a stream of this process, not a type, or NULL.
 */
int posix_trace_eventid_get_name(trace_id_t trid, trace_event_id_t event, char *event_name)
{
	struct posix_call c;

	if (!event_name || !ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	return ktrace_posix_call_end(&c, name_of(&c, event, event_name));
}

/**
 * posix_trace_eventtypelist_getnext_id - list the event types of a stream one by one (PTRC-58)
 * @trid:	a stream, active or pre-recorded
 * @event:	out: the next type
 * @unavailable: out: not 0 at the end of the list
 *
 * Ordered by ascending id; types opened meanwhile come after these. Allowed to be a cancellation
 * point, but is not.
 *
 * Return: 0; EINVAL not a stream of this process, or NULL.
 */
int posix_trace_eventtypelist_getnext_id(trace_id_t trid, trace_event_id_t *restrict event,
					 int *restrict unavailable)
{
	trace_event_id_t next = 0;
	struct posix_call c;
	int error = 0;

	if (!event || !unavailable || !ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	if (c.control)
		error = ktrace_posix_control_next_type(c.control, &next);
	else
		next = ktrace_posix_recorded_next_type(c.trid->recorded);
	if (next)
		*event = next;
	if (!error)
		*unavailable = !next;
	return ktrace_posix_call_end(&c, error);
}

/**
 * posix_trace_eventtypelist_rewind - restart the list of event types (PTRC-58)
 *
 * Return: 0, EINVAL not a stream of this process.
 */
int posix_trace_eventtypelist_rewind(trace_id_t trid)
{
	struct posix_call c;

	if (!ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	if (c.control)
		ktrace_posix_control_rewind_types(c.control);
	else
		ktrace_posix_recorded_rewind_types(c.trid->recorded);
	return ktrace_posix_call_end(&c, 0);
}
