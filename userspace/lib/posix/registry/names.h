/* SPDX-License-Identifier: LGPL-2.1 */
/* names.h - names of event types in the registry, and the types of each stream */
#ifndef KTRACE_POSIX_REGISTRY_NAMES_H
#define KTRACE_POSIX_REGISTRY_NAMES_H

#include "registry_shm.h"

/**
 * ktrace_posix_name_open - get the id of a name, adding the name if necessary
 * @b:		the registry
 * @name:	at most TRACE_EVENT_NAME_MAX bytes
 * @may_add:	false: do not add the name
 *
 * Context: not in a signal handler.
 * Return: 0 if the name has none and was not added, or there is no room for more.
 */
trace_event_id_t ktrace_posix_name_open(struct posix_registry *b, const char *name, bool may_add);

/**
 * ktrace_posix_name_get - get the name of a user event type
 * @b:		the registry
 * @id:		its id; not POSIX_TRACE_UNNAMED_USEREVENT
 * @name:	out: the name
 *
 * Return: false if no type has this id.
 */
bool ktrace_posix_name_get(const struct posix_registry *b, trace_event_id_t id,
			   char name[TRACE_EVENT_NAME_MAX + 1]);

/** ktrace_posix_names_join - add the types of its processes to a stream */
void ktrace_posix_names_join(struct posix_registry *b, __u32 stream);

/** ktrace_posix_names_place - store the opened types in this process's slot */
void ktrace_posix_names_place(struct posix_registry *b);

#endif
