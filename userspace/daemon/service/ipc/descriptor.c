// SPDX-License-Identifier: GPL-2.0
/* descriptor.c - descriptors sent by peers */
#include "descriptor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "user.h"

/* Limit on a user's descriptors that are neither in use nor closed yet */
#define ON_THE_WAY_MAX 32
/* Closing threads of a user: so many may block, the other descriptors wait for one. */
#define CLOSER_MAX 4

/* A descriptor to be closed */
struct closing {
	STAILQ_ENTRY(closing) link;
	int fd;
};

bool descriptor_may_come(struct user *u)
{
	bool may;

	pthread_mutex_lock(&u->lock);
	may = u->on_the_way < ON_THE_WAY_MAX;
	pthread_mutex_unlock(&u->lock);
	return may;
}

static void count(struct user *u, int more)
{
	pthread_mutex_lock(&u->lock);
	u->on_the_way += (uint32_t)more;
	pthread_mutex_unlock(&u->lock);
}

void descriptor_came(struct user *u)
{
	count(u, 1);
}

void descriptor_went(struct user *u)
{
	count(u, -1);
}

/* Closes descriptors until none is left, then ends the thread. */
static void *close_all(void *arg)
{
	struct user *u = arg;
	struct closing *c;

	pthread_mutex_lock(&u->lock);
	while ((c = STAILQ_FIRST(&u->closing))) {
		STAILQ_REMOVE_HEAD(&u->closing, link);
		pthread_mutex_unlock(&u->lock);
		close(c->fd);
		free(c);
		pthread_mutex_lock(&u->lock);
		u->on_the_way--;
	}
	u->closer_nr--;
	pthread_mutex_unlock(&u->lock);
	return NULL;
}

/* Starts another thread if there may be more. Return: true if there is any. */
static bool add_closer(struct user *u)
{
	pthread_t thread;

	if (u->closer_nr == CLOSER_MAX)
		return true;
	if (pthread_create(&thread, NULL, close_all, u))
		return u->closer_nr;
	pthread_detach(thread);
	u->closer_nr++;
	return true;
}

/* Return: true if a thread will close it. */
static bool hand_over(struct user *u, int fd)
{
	struct closing *c = malloc(sizeof(*c));
	bool has_closer = false;

	if (!c)
		return false;
	c->fd = fd;
	pthread_mutex_lock(&u->lock);
	if (add_closer(u)) {
		STAILQ_INSERT_TAIL(&u->closing, c, link);
		u->on_the_way++;
		has_closer = true;
	}
	pthread_mutex_unlock(&u->lock);
	if (!has_closer)
		free(c);
	return has_closer;
}

void descriptor_close(struct user *u, int fd)
{
	/* A memory file has no file system that could block. */
	if (fcntl(fd, F_GET_SEALS) >= 0 || !hand_over(u, fd))
		close(fd);
}
