/* SPDX-License-Identifier: LGPL-2.1 */
/* place_types.h - event types of a stream with a slot in a registry */
#ifndef KTRACE_POSIX_REGISTRY_PLACE_TYPES_H
#define KTRACE_POSIX_REGISTRY_PLACE_TYPES_H

#include "registry_shm.h"

/** ktrace_posix_place_open - get the id of a name and add it to the stream's types */
trace_event_id_t ktrace_posix_place_open(struct posix_registry *b, struct posix_registry_stream *s,
					 const char *name);

/** ktrace_posix_place_types - get all types of the stream, including the predefined ones */
void ktrace_posix_place_types(const struct posix_registry *b, const struct posix_registry_stream *s,
			      trace_event_set_t *set);

#endif
