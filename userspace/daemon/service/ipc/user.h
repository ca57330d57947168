/* SPDX-License-Identifier: GPL-2.0 */
/*
 * user.h - what all peers of a user together make the service keep
 *
 * Each connection has limits, but a user may have thousands of them. Root, and the user that the
 * service runs as, have no other limits.
 */
#ifndef KTRACED_SERVICE_IPC_USER_H
#define KTRACED_SERVICE_IPC_USER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

struct connections;
struct closing;

struct user {
	LIST_ENTRY(user) link;
	uid_t uid;
	bool is_bounded;
	uint32_t peer_nr;	/* connections, including dropped ones */
	size_t held;		/* bytes to be sent, or of incomplete frames */
	size_t described;	/* bytes of descriptors of data sources */
	size_t shared;		/* bytes of producers' shared memory */

	/* For descriptors (descriptor.h). Protects the members below, as closers are threads. */
	pthread_mutex_t lock;
	uint32_t on_the_way;
	uint32_t closer_nr;
	STAILQ_HEAD(, closing) closing;	/* not yet taken by a closer */
};

/* Return: NULL: out of memory. */
struct user *user_get(struct connections *all, uid_t uid);
/* True if the user may have one more connection. */
bool user_may_connect(struct user *u);
/*
 * True if a connection, whose user is not known yet, may be accepted: false while a user's refused
 * connections that wait to be closed are as many as a user may have.
 */
bool users_may_come(const struct connections *all);
/* True if the user's connections make us hold too much, even without @size bytes of it */
bool user_holds_too_much(const struct user *u, size_t size);
/*
 * Counts @size bytes that a producer shares. @max: limit for all that the user's producers share.
 * Return: false: the limit is reached.
 */
bool user_share(struct user *u, size_t size, uint64_t max);
/* Frees users that have nothing here any more. */
void users_forget(struct connections *all);

#endif
