// SPDX-License-Identifier: LGPL-2.1
/*
 * control_types.c - event types of active streams, from our registry or the keeper
 *
 * A stream with a keeper always asks the keeper, even if the registry is ours: if the keeper is
 * gone, another stream may use the slot in the registry.
 */
#include "control.h"

#include <string.h>
#include "posix/registry/member.h"
#include "posix/registry/names.h"
#include "posix/registry/place_types.h"

int ktrace_posix_control_open_type(struct posix_control *c, const char *name,
				   trace_event_id_t *id)
{
	struct rpc_request r = { .call = RPC_OPEN_TYPE };
	struct rpc_answer a;
	int error;

	if (c->stream) {
		*id = ktrace_posix_place_open(ktrace_posix_registry(), c->place, name);
		return 0;
	}
	strncpy(r.name, name, sizeof(r.name) - 1);
	error = ktrace_posix_client_ask(c->client, &r, &a);
	if (!error)
		*id = a.type;
	return error;
}

int ktrace_posix_control_type_name(struct posix_control *c, trace_event_id_t id, char *name)
{
	const struct rpc_request r = { .call = RPC_TYPE_NAME, .type = id };
	struct rpc_answer a;

	if (c->stream)
		return ktrace_posix_name_get(ktrace_posix_registry(), id, name) ? 0 : EINVAL;
	if (ktrace_posix_client_ask(c->client, &r, &a) || !a.type)
		return EINVAL;
	memcpy(name, a.name, sizeof(a.name));
	return 0;
}

/* Gets all types of the stream. */
static int types_of(struct posix_control *c, trace_event_set_t *set)
{
	const struct rpc_request r = { .call = RPC_TYPES };
	struct rpc_answer a;
	int error;

	if (c->stream) {
		ktrace_posix_place_types(ktrace_posix_registry(), c->place, set);
		return 0;
	}
	error = ktrace_posix_client_ask(c->client, &r, &a);
	if (!error)
		*set = a.set;
	return error;
}

static trace_event_id_t first_of(const trace_event_set_t *set)
{
	for (trace_event_id_t w = 0; w < POSIX_SET_WORDS; w++)
		if (set->__word[w])
			return w * 64 + (trace_event_id_t)__builtin_ctzll(set->__word[w]);
	return 0;
}

int ktrace_posix_control_next_type(struct posix_control *c, trace_event_id_t *next)
{
	trace_event_set_t types;
	int error;

	*next = first_of(&c->to_list);
	if (!*next) {
		error = types_of(c, &types);
		if (error)
			return error;
		for (__u32 w = 0; w < POSIX_SET_WORDS; w++)
			c->to_list.__word[w] = types.__word[w] & ~c->listed.__word[w];
		*next = first_of(&c->to_list);
	}
	if (*next) {
		posix_trace_eventset_del(*next, &c->to_list);
		posix_trace_eventset_add(*next, &c->listed);
	}
	return 0;
}

void ktrace_posix_control_rewind_types(struct posix_control *c)
{
	posix_trace_eventset_empty(&c->to_list);
	posix_trace_eventset_empty(&c->listed);
}
