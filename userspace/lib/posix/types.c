// SPDX-License-Identifier: LGPL-2.1
/*
 * types.c - event types of a stream: posix_trace_eventid_*() and posix_trace_eventtypelist_*()
 *
 * Of an active stream the board has them, of a pre-recorded one its file.
 */
#include "trace.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "control.h"
#include "eventset.h"
#include "names.h"
#include "recorded.h"
#include "ring/port.h"
#include "trid.h"

/**
 * posix_trace_trid_eventid_open - the event type that has a name, asked by the controller
 * @trid:	an active stream
 * @event_name:	at most TRACE_EVENT_NAME_MAX bytes
 * @event:	the type that the program will get, or has got, for this name (PTRC-55);
 *		POSIX_TRACE_UNNAMED_USEREVENT if there is none and no room for more
 *
 * Return: 0; EINVAL no active stream of this process, or NULL; ENAMETOOLONG.
 */
int posix_trace_trid_eventid_open(trace_id_t trid, const char *restrict event_name,
				  trace_event_id_t *restrict event)
{
	struct posix_trid *t = ktrace_posix_trid_get(trid);
	int ret = EINVAL;

	if (!t || !t->control || !event_name || !event)
		goto out_put;
	ret = ENAMETOOLONG;
	if (strnlen(event_name, TRACE_EVENT_NAME_MAX + 1) > TRACE_EVENT_NAME_MAX)
		goto out_put;
	ret = ktrace_posix_control_open_type(t->control, event_name, event);
out_put:
	ktrace_posix_trid_put(t);
	return ret;
}

/**
 * posix_trace_eventid_equal - are two event types the same? (PTRC-56)
 *
 * In a stream each type has one id.
 *
 * Return: not 0 if they are.
 */
int posix_trace_eventid_equal(trace_id_t trid, trace_event_id_t event1, trace_event_id_t event2)
{
	(void)trid;
	return event1 == event2;
}

/* Return: 0, EINVAL */
static int name_of(const struct posix_trid *t, trace_event_id_t event, char *name)
{
	const char *known = t->recorded ? ktrace_posix_recorded_name(t->recorded, event) :
					  ktrace_posix_system_name(event);

	if (known)
		strcpy(name, known);
	if (known || t->recorded)
		return known ? 0 : EINVAL;
	return ktrace_posix_control_type_name(t->control, event, name);
}

/**
 * posix_trace_eventid_get_name - what an event type is called (PTRC-56, PTRC-57)
 * @trid:	a stream, active or pre-recorded
 * @event:	the type
 * @event_name:	room for TRACE_EVENT_NAME_MAX + 1 bytes
 *
 * Return: 0; EINVAL no stream of this process, no type, or NULL.
 */
int posix_trace_eventid_get_name(trace_id_t trid, trace_event_id_t event, char *event_name)
{
	struct posix_trid *t = ktrace_posix_trid_get(trid);
	int ret = t && event_name ? name_of(t, event, event_name) : EINVAL;

	ktrace_posix_trid_put(t);
	return ret;
}

/**
 * posix_trace_eventtypelist_getnext_id - the event types of a stream, one by one (PTRC-58)
 * @trid:	a stream, active or pre-recorded
 * @event:	the next type, by rising ids
 * @unavailable: not 0 if there is none any more
 *
 * Types that are defined meanwhile come, too. May be a cancellation point, and is none.
 *
 * Return: 0; EINVAL no stream of this process, or NULL.
 */
int posix_trace_eventtypelist_getnext_id(trace_id_t trid, trace_event_id_t *restrict event,
					 int *restrict unavailable)
{
	struct posix_trid *t = ktrace_posix_trid_get(trid);
	trace_event_id_t last, next;
	int ret = 0;

	if (!t || !event || !unavailable) {
		ktrace_posix_trid_put(t);
		return EINVAL;
	}
	last = kt_load(&t->type_pos);
	do {
		if (t->control)
			ret = ktrace_posix_control_next_type(t->control, last, &next);
		else
			next = ktrace_posix_recorded_next_id(t->recorded, last);
	} while (next && !__atomic_compare_exchange_n(&t->type_pos, &last, next, false,
						      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	if (next)
		*event = next;
	*unavailable = !next;
	ktrace_posix_trid_put(t);
	return ret;
}

/**
 * posix_trace_eventtypelist_rewind - begin with the first event type again (PTRC-58)
 *
 * Return: 0, EINVAL no stream of this process.
 */
int posix_trace_eventtypelist_rewind(trace_id_t trid)
{
	struct posix_trid *t = ktrace_posix_trid_get(trid);

	if (!t)
		return EINVAL;
	kt_store(&t->type_pos, 0);
	ktrace_posix_trid_put(t);
	return 0;
}
