// SPDX-License-Identifier: LGPL-2.1
/*
 * eventset.c - sets of event types: posix_trace_eventset_*(), and the predefined types
 *
 * A set is just an array of bits, so that it can be assigned, passed and stored.
 */
#include "eventset.h"

#include <errno.h>
#include <string.h>

/*
 * struct predefined - an event type of every stream; @has_process: its events belong to a process
 */
static const struct predefined {
	trace_event_id_t id;
	const char *name;
	bool has_process;
} predefined[POSIX_PREDEFINED] = {
	{ POSIX_TRACE_START, "posix_trace_start", true },
	{ POSIX_TRACE_STOP, "posix_trace_stop", true },
	{ POSIX_TRACE_OVERFLOW, "posix_trace_overflow", false },
	{ POSIX_TRACE_RESUME, "posix_trace_resume", false },
	{ POSIX_TRACE_ERROR, "posix_trace_error", false },
	{ POSIX_TRACE_FILTER, "posix_trace_filter", true },
	{ POSIX_TRACE_FLUSH_START, "posix_trace_flush_start", false },
	{ POSIX_TRACE_FLUSH_STOP, "posix_trace_flush_stop", false },
	{ POSIX_TRACE_UNNAMED_USEREVENT, "posix_trace_unnamed_userevent", true },
};

/* ktrace_posix_system_name - get the name of a predefined type (PTRC-57); NULL = not predefined */
const char *ktrace_posix_system_name(trace_event_id_t id)
{
	for (size_t i = 0; i < POSIX_PREDEFINED; i++)
		if (predefined[i].id == id)
			return predefined[i].name;
	return NULL;
}

/* ktrace_posix_system_id - get predefined type number @i by ascending ids, 0 after the last */
trace_event_id_t ktrace_posix_system_id(unsigned int i)
{
	return i < POSIX_PREDEFINED ? predefined[i].id : 0;
}

_Static_assert(POSIX_ID_NR == 8 * sizeof(trace_event_set_t), "a set has room for all ids");

static bool is_event(trace_event_id_t id)
{
	return id && id < POSIX_ID_NR;
}

/**
 * posix_trace_eventset_add - add an event type to a set (PTRC-59)
 *
 * Return: 0, also if it is already in the set; EINVAL for an invalid event type or NULL.
 */
int posix_trace_eventset_add(trace_event_id_t event_id, trace_event_set_t *set)
{
	if (!set || !is_event(event_id))
		return EINVAL;
	set->__word[event_id / 64] |= 1ull << event_id % 64;
	return 0;
}

/**
 * posix_trace_eventset_del - remove an event type from a set (PTRC-59)
 *
 * Return: 0, also if it is not in the set; EINVAL for an invalid event type or NULL.
 */
int posix_trace_eventset_del(trace_event_id_t event_id, trace_event_set_t *set)
{
	if (!set || !is_event(event_id))
		return EINVAL;
	set->__word[event_id / 64] &= ~(1ull << event_id % 64);
	return 0;
}

/**
 * posix_trace_eventset_empty - make a set empty (PTRC-59)
 *
 * Return: 0, EINVAL for NULL.
 */
int posix_trace_eventset_empty(trace_event_set_t *set)
{
	if (!set)
		return EINVAL;
	memset(set, 0, sizeof(*set));
	return 0;
}

/* Adds a range of ids, including unused ones, which may become types later. */
static void fill_range(trace_event_set_t *set, trace_event_id_t from, trace_event_id_t end)
{
	for (trace_event_id_t id = from; id < end; id++)
		posix_trace_eventset_add(id, set);
}

/**
 * posix_trace_eventset_fill - fill a set with all event types of a kind (PTRC-59)
 * @set:	the set; its old content is lost
 * @what:	POSIX_TRACE_WOPID_EVENTS, _SYSTEM_EVENTS or _ALL_EVENTS. The last includes user
 *		types defined later
 *
 * Return: 0, EINVAL for NULL or another @what.
 */
int posix_trace_eventset_fill(trace_event_set_t *set, int what)
{
	if (!set || what < POSIX_TRACE_WOPID_EVENTS || what > POSIX_TRACE_ALL_EVENTS)
		return EINVAL;
	memset(set, 0, sizeof(*set));
	for (size_t i = 0; i < POSIX_PREDEFINED && what == POSIX_TRACE_WOPID_EVENTS; i++)
		if (!predefined[i].has_process)
			posix_trace_eventset_add(predefined[i].id, set);
	if (what == POSIX_TRACE_SYSTEM_EVENTS)
		fill_range(set, 1, POSIX_ID_USER);
	if (what == POSIX_TRACE_ALL_EVENTS)
		fill_range(set, 1, POSIX_ID_NR);
	return 0;
}

/**
 * posix_trace_eventset_ismember - test whether an event type is in a set (PTRC-59)
 * @ismember:	out: 1 if it is, 0 if it is not
 *
 * Return: 0; EINVAL for an invalid event type or NULL.
 */
int posix_trace_eventset_ismember(trace_event_id_t event_id,
				  const trace_event_set_t *restrict set, int *restrict ismember)
{
	if (!set || !ismember || !is_event(event_id))
		return EINVAL;
	*ismember = posix_set_has(set, event_id);
	return 0;
}
