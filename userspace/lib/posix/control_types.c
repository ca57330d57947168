// SPDX-License-Identifier: LGPL-2.1
/*
 * control_types.c - event types of active streams: on our board, or asked for at the keeper
 *
 * What has a keeper is asked for there even if the board is ours: if the keeper is gone the place
 * on the board may be another stream's.
 */
#include "control.h"

#include <errno.h>
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

int ktrace_posix_control_open_type(struct posix_control *c, const char *name,
				   trace_event_id_t *id)
{
	struct rpc_request r = { .call = RPC_OPEN_TYPE };
	struct rpc_answer a = { 0 };
	int error = 0;

	if (c->stream) {
		*id = ktrace_posix_place_open(ktrace_posix_board(), c->place, name);
	} else {
		strncpy(r.name, name, sizeof(r.name) - 1);
		error = ask(c, &r, &a);
		*id = a.type;
	}
	return error;
}

int ktrace_posix_control_type_name(struct posix_control *c, trace_event_id_t id, char *name)
{
	const struct rpc_request r = { .call = RPC_TYPE_NAME, .type = id };
	struct rpc_answer a;

	if (c->stream)
		return ktrace_posix_name_get(ktrace_posix_board(), id, name) ? 0 : EINVAL;
	if (ask(c, &r, &a) || !a.type)
		return EINVAL;
	memcpy(name, a.name, sizeof(a.name));
	return 0;
}

int ktrace_posix_control_next_type(struct posix_control *c, trace_event_id_t id,
				   trace_event_id_t *next)
{
	const struct rpc_request r = { .call = RPC_NEXT_TYPE, .type = id };
	struct rpc_answer a = { 0 };
	int error = 0;

	if (c->stream) {
		*next = ktrace_posix_place_next(ktrace_posix_board(), c->place, id);
	} else {
		error = ask(c, &r, &a);
		*next = a.type;
	}
	return error;
}
