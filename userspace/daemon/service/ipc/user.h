/* SPDX-License-Identifier: GPL-2.0 */
/*
 * user.h - what the peers of one user make the service keep, all of them together
 *
 * What one connection may have is bounded, and a user may have thousands of them. Root, and the
 * user that the service runs as, have no bounds but those of their connections.
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
	uint32_t peer_nr;	/* connections, those that were dropped too */
	size_t held;		/* bytes that wait to be sent, or for the rest of a frame */
	size_t described;	/* bytes of descriptions of data sources */
	size_t shared;		/* bytes of memory of producers */

	/* Of descriptors (descriptor.h). Protects what follows: closers are threads. */
	pthread_mutex_t lock;
	uint32_t on_the_way;
	uint32_t closer_nr;
	STAILQ_HEAD(, closing) closing;	/* which nobody is closing yet */
};

/* Return: NULL: no memory. */
struct user *user_get(struct connections *all, uid_t uid);
/* One more connection? */
bool user_may_connect(struct user *u);
/*
 * Whether a connection may be accepted, whose user is not known yet: not while as many as somebody
 * may have, which were refused, wait to be closed.
 */
bool users_may_come(const struct connections *all);
/* More than all of the user's connections may make us hold, even without @size bytes of it */
bool user_holds_too_much(const struct user *u, size_t size);
/*
 * Counts @size bytes of memory that a producer shares. @max: of all that the user's share.
 * Return: false: the user has no room left.
 */
bool user_share(struct user *u, size_t size, uint64_t max);
/* Those who have nothing here any more */
void users_forget(struct connections *all);

#endif
