/* SPDX-License-Identifier: GPL-2.0 */
/* builtin_producer.h - ktrace's own data sources: a producer started by the service */
#ifndef KTRACED_SERVICE_SESSION_BUILTIN_PRODUCER_H
#define KTRACED_SERVICE_SESSION_BUILTIN_PRODUCER_H

#include <sys/types.h>
#include <sys/un.h>

#include "service.h"

/**
 * struct builtin_producer - a process "ktrace session produce", found beside this program
 * @service:	the service whose loop sees its end
 * @socket:	the producers' socket, for its environment
 * @pid:	its process id, 0 = not running
 * @gone:	readable when it has ended; its @fd is -1 if it is not running
 * @again:	timer to start it again
 * @begun_ns:	CLOCK_MONOTONIC when it was started
 * @short_nr:	how many times in a row it ended soon
 */
struct builtin_producer {
	struct service *service;
	char socket[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
	pid_t pid;
	struct loop_source gone;
	struct timer again;
	uint64_t begun_ns;
	unsigned int short_nr;
};

/*
 * builtin_producer_begin - start it; if it ends, start it again, unless it ends too often
 * @p:		must be ended with builtin_producer_end()
 * @s:		the service
 * @listen_fd:	the socket for it to connect to
 *
 * Reports failures; the service then goes on without it.
 */
void builtin_producer_begin(struct builtin_producer *p, struct service *s, int listen_fd);
/* Ends it, and waits until it has ended its recordings. */
void builtin_producer_end(struct builtin_producer *p);

#endif
