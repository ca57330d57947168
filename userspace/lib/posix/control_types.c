// SPDX-License-Identifier: LGPL-2.1
/* control_types.c - event types of active streams: on our board, or asked for at a keeper's */
#include "control.h"

#include <string.h>
#include "member.h"
#include "names.h"
#include "place_types.h"

static int ask(struct posix_control *c, const struct rpc_request *request,
	       struct rpc_answer *answer)
{
	int error, cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&c->lock);
	error = ktrace_posix_client_ask(c->client, request, answer);
	pthread_mutex_unlock(&c->lock);
	pthread_setcancelstate(cancel, NULL);
	return error;
}

trace_event_id_t ktrace_posix_control_open_type(struct posix_control *c, const char *name)
{
	struct rpc_request r = { .call = RPC_OPEN_TYPE };
	struct rpc_answer a;

	if (c->place)
		return ktrace_posix_place_open(ktrace_posix_board(), c->place, name);
	strncpy(r.name, name, sizeof(r.name) - 1);
	return ask(c, &r, &a) ? POSIX_TRACE_UNNAMED_USEREVENT : a.type;
}

bool ktrace_posix_control_type_name(struct posix_control *c, trace_event_id_t id, char *name)
{
	const struct rpc_request r = { .call = RPC_TYPE_NAME, .type = id };
	struct rpc_answer a;

	if (c->place)
		return ktrace_posix_name_get(ktrace_posix_board(), id, name);
	if (ask(c, &r, &a) || !a.type)
		return false;
	memcpy(name, a.name, sizeof(a.name));
	return true;
}

trace_event_id_t ktrace_posix_control_next_type(struct posix_control *c, trace_event_id_t id)
{
	const struct rpc_request r = { .call = RPC_NEXT_TYPE, .type = id };
	struct rpc_answer a;

	if (c->place)
		return ktrace_posix_place_next(ktrace_posix_board(), c->place, id);
	return ask(c, &r, &a) ? 0 : a.type;
}
