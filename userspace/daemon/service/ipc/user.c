// SPDX-License-Identifier: GPL-2.0
/* user.c - what all peers of a user together make the service keep */
#include "user.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "connection.h"

/* Limits on a user's connections, so that others have descriptors: each may need two. */
#define PEER_MAX 16384
#define DESCRIPTOR_PART 4
#define HELD_MAX (64u * 1024 * 1024)

static bool is_in_use(struct user *u)
{
	bool is;

	pthread_mutex_lock(&u->lock);
	is = u->peer_nr || u->on_the_way || u->closer_nr;
	pthread_mutex_unlock(&u->lock);
	return is;
}

void users_forget(struct connections *all)
{
	struct user *u = LIST_FIRST(&all->users);

	while (u) {
		struct user *next = LIST_NEXT(u, link);

		if (!is_in_use(u)) {
			LIST_REMOVE(u, link);
			pthread_mutex_destroy(&u->lock);
			free(u);
		}
		u = next;
	}
}

struct user *user_get(struct connections *all, uid_t uid)
{
	struct user *u;

	LIST_FOREACH(u, &all->users, link)
		if (u->uid == uid)
			return u;
	users_forget(all);
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->uid = uid;
	u->is_bounded = uid && uid != all->uid;
	pthread_mutex_init(&u->lock, NULL);
	STAILQ_INIT(&u->closing);
	LIST_INSERT_HEAD(&all->users, u, link);
	return u;
}

/* Returns the limit for connections and closing descriptors together, and for the latter alone */
static uint32_t connection_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / DESCRIPTOR_PART > PEER_MAX)
		return PEER_MAX;
	return (uint32_t)(limit.rlim_cur / DESCRIPTOR_PART);
}

static uint32_t on_the_way(struct user *u)
{
	uint32_t nr;

	pthread_mutex_lock(&u->lock);
	nr = u->on_the_way;
	pthread_mutex_unlock(&u->lock);
	return nr;
}

bool user_may_connect(struct user *u)
{
	return !u->is_bounded || u->peer_nr + on_the_way(u) < connection_max();
}

bool users_may_come(const struct connections *all)
{
	const uint32_t max = connection_max();
	struct user *u;

	LIST_FOREACH(u, &all->users, link)
		if (u->is_bounded && on_the_way(u) >= max)
			return false;
	return true;
}

bool user_holds_too_much(const struct user *u, size_t size)
{
	return u->is_bounded && u->held - size > HELD_MAX;
}

bool user_share(struct user *u, size_t size, uint64_t max)
{
	if (u->is_bounded && u->shared + size > max)
		return false;
	u->shared += size;
	return true;
}
