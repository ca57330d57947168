/* SPDX-License-Identifier: LGPL-2.1 */
/* names.h - names of event types in the registry, and which of them a stream has */
#ifndef KTRACE_POSIX_REGISTRY_NAMES_H
#define KTRACE_POSIX_REGISTRY_NAMES_H

#include "registry_shm.h"

/**
 * ktrace_posix_name_open - the id that goes with a name, which gets one if it has none
 * @b:		the registry
 * @name:	at most TRACE_EVENT_NAME_MAX bytes
 * @may_add:	false: not if it has none
 *
 * Context: not in signal handlers.
 * Return: 0 if it has none: there is no room for more either.
 */
trace_event_id_t ktrace_posix_name_open(struct posix_registry *b, const char *name, bool may_add);

/**
 * ktrace_posix_name_get - the name of an event type of programs
 * @b:		the registry
 * @id:		its id; not POSIX_TRACE_UNNAMED_USEREVENT
 * @name:	out
 *
 * Return: false if no type has this id.
 */
bool ktrace_posix_name_get(const struct posix_registry *b, trace_event_id_t id,
			   char name[TRACE_EVENT_NAME_MAX + 1]);

/** ktrace_posix_names_join - a stream has the types of its processes from now on */
void ktrace_posix_names_join(struct posix_registry *b, __u32 stream);

/** ktrace_posix_names_place - this process's place tells which types it has opened */
void ktrace_posix_names_place(struct posix_registry *b);

#endif
