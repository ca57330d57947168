/* SPDX-License-Identifier: LGPL-2.1 */
/* client.h - a keeper's stream as seen by its controller */
#ifndef KTRACE_POSIX_KEEPER_CLIENT_H
#define KTRACE_POSIX_KEEPER_CLIENT_H

#include "posix/stream/stream.h"
#include "rpc.h"

struct posix_client;

/**
 * ktrace_posix_client_create - start a keeper and let it create a stream
 * @create:	the RPC_CREATE request
 * @log_fd:	the log, -1 = none
 * @out:	the stream
 *
 * Return: 0 or an errno: as ktrace_posix_stream_create() and ktrace_posix_log_open(); ENOMEM also
 * if the keeper is missing or has died.
 */
int ktrace_posix_client_create(const struct rpc_request *create, int log_fd,
			       struct posix_client **out);

/**
 * ktrace_posix_client_ask - make a call; EINVAL if the keeper is gone. Waits while it is stopped.
 */
int ktrace_posix_client_ask(struct posix_client *c, const struct rpc_request *request,
			    struct rpc_answer *answer);

/** ktrace_posix_client_data - get the data of the last answer */
const void *ktrace_posix_client_data(const struct posix_client *c);

const struct posix_attr *ktrace_posix_client_attr(const struct posix_client *c);

/** ktrace_posix_client_nr - get the slot in the registry of the traced process's user */
__u32 ktrace_posix_client_nr(const struct posix_client *c);

/** ktrace_posix_client_free - disconnect from the keeper, which then ends; NULL is allowed */
void ktrace_posix_client_free(struct posix_client *c);

#endif
