/* SPDX-License-Identifier: GPL-2.0 */
/* builtin_producer.h - ktrace's own data sources: a producer that the service starts itself */
#ifndef KTRACED_SERVICE_SESSION_BUILTIN_PRODUCER_H
#define KTRACED_SERVICE_SESSION_BUILTIN_PRODUCER_H

#include <sys/types.h>
#include <sys/un.h>

#include "service.h"

/**
 * struct builtin_producer - ktrace session produce, beside this program
 * @service:	whose loop sees its end
 * @socket:	of producers, as its environment has it
 * @pid:	0 = it does not run
 * @gone:	readable when it has ended; @fd of it is -1 if it does not run
 * @again:	to start it again
 * @begun_ns:	CLOCK_MONOTONIC when it was started
 * @short_nr:	how many in a row ended soon
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
 * builtin_producer_begin - start it; if it ends it is started again, unless that happens too often
 * @p:		to be ended
 * @s:		the service
 * @listen_fd:	the socket that it is to connect to
 *
 * Failures are said; the service goes on without it.
 */
void builtin_producer_begin(struct builtin_producer *p, struct service *s, int listen_fd);
/* Waits for it, as its recordings have to be ended. */
void builtin_producer_end(struct builtin_producer *p);

#endif
