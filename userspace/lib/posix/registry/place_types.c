// SPDX-License-Identifier: LGPL-2.1
/* place_types.c - event types of a stream with a slot in a registry */
#include "place_types.h"

#include "names.h"
#include "posix/base/eventset.h"
#include "ring/port.h"

trace_event_id_t ktrace_posix_place_open(struct posix_registry *b, struct posix_registry_stream *s,
					 const char *name)
{
	const trace_event_id_t id = ktrace_posix_name_open(b, name, true);

	if (!id)
		return POSIX_TRACE_UNNAMED_USEREVENT;
	__atomic_fetch_or(&s->types[id / 64], 1ull << id % 64, __ATOMIC_RELAXED);
	return id;
}

void ktrace_posix_place_types(const struct posix_registry *b, const struct posix_registry_stream *s,
			      trace_event_set_t *set)
{
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id;

	posix_trace_eventset_empty(set);
	for (__u32 i = 0; (id = ktrace_posix_system_id(i)); i++)
		posix_trace_eventset_add(id, set);
	for (__u32 w = 0; w < POSIX_SET_WORDS; w++)
		for (__u64 bits = kt_load(&s->types[w]); bits; bits &= bits - 1) {
			id = w * 64 + (__u32)__builtin_ctzll(bits);
			if (ktrace_posix_name_get(b, id, name))
				posix_trace_eventset_add(id, set);
		}
}
