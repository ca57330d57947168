// SPDX-License-Identifier: LGPL-2.1
/* place_types.c - event types of a stream that has a place on a board */
#include "place_types.h"

#include "eventset.h"
#include "names.h"
#include "ring/port.h"

trace_event_id_t ktrace_posix_place_open(struct posix_board *b, struct posix_board_stream *s,
					 const char *name)
{
	const trace_event_id_t id = ktrace_posix_name_open(b, name, true);

	if (!id)
		return POSIX_TRACE_UNNAMED_USEREVENT;
	__atomic_fetch_or(&s->types[id / 64], 1ull << id % 64, __ATOMIC_RELAXED);
	return id;
}

trace_event_id_t ktrace_posix_place_next(struct posix_board *b,
					 const struct posix_board_stream *s, trace_event_id_t id)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	while (id < POSIX_ID_NR && ++id < POSIX_ID_NR) {
		if (ktrace_posix_system_name(id))
			return id;
		if (kt_load(&s->types[id / 64]) & 1ull << id % 64 &&
		    ktrace_posix_name_get(b, id, name))
			return id;
	}
	return 0;
}
