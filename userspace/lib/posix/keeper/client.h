/* SPDX-License-Identifier: LGPL-2.1 */
/* client.h - a stream that a keeper has, seen from its controller */
#ifndef KTRACE_POSIX_KEEPER_CLIENT_H
#define KTRACE_POSIX_KEEPER_CLIENT_H

#include "posix/stream/stream.h"
#include "rpc.h"

struct posix_client;

/**
 * ktrace_posix_client_create - start a keeper, and have it make a stream
 * @create:	what RPC_CREATE has
 * @log_fd:	-1 = none
 * @out:	the stream
 *
 * Return: 0 or an errno: as ktrace_posix_stream_create() and ktrace_posix_log_open(); ENOMEM also
 * if there is no keeper, or it has died.
 */
int ktrace_posix_client_create(const struct rpc_request *create, int log_fd,
			       struct posix_client **out);

/** ktrace_posix_client_ask - one call; EINVAL if the keeper is gone. Waits while it is stopped. */
int ktrace_posix_client_ask(struct posix_client *c, const struct rpc_request *request,
			    struct rpc_answer *answer);

/** ktrace_posix_client_data - data of the last answer */
const void *ktrace_posix_client_data(const struct posix_client *c);

const struct posix_attr *ktrace_posix_client_attr(const struct posix_client *c);

/** ktrace_posix_client_nr - place in the registry of the traced process's user */
__u32 ktrace_posix_client_nr(const struct posix_client *c);

/** ktrace_posix_client_free - let go of the keeper, which ends; takes NULL */
void ktrace_posix_client_free(struct posix_client *c);

#endif
