/* SPDX-License-Identifier: LGPL-2.1 */
/* eventset.h - sets of event types, and the predefined types */
#ifndef KTRACE_POSIX_BASE_EVENTSET_H
#define KTRACE_POSIX_BASE_EVENTSET_H

#include <stdbool.h>

#include "event.h"
#include <trace.h>

/* Number of predefined types */
#define POSIX_PREDEFINED 9u

/* True if the type is in the set; @id is below POSIX_ID_NR. */
static inline bool posix_set_has(const trace_event_set_t *set, trace_event_id_t id)
{
	return set->__word[id / 64] >> id % 64 & 1;
}

const char *ktrace_posix_system_name(trace_event_id_t id);
trace_event_id_t ktrace_posix_system_id(unsigned int i);

#endif
