// SPDX-License-Identifier: GPL-2.0
/* descriptor.c - descriptors that peers have sent */
#include "descriptor.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "service.h"

/* Of one user */
#define ON_THE_WAY_MAX 32

/* How many of a user's are on their way: the loop's, and of threads that close one */
struct holder {
	LIST_ENTRY(holder) link;
	uid_t uid;
	atomic_uint nr;
};

/* What a thread closes */
struct closing {
	struct holder *holder;
	int fd;
};

static struct holder *find(const struct service *s, uid_t uid)
{
	struct holder *h;

	LIST_FOREACH(h, &s->holders, link)
		if (h->uid == uid)
			return h;
	return NULL;
}

static struct holder *get(struct service *s, uid_t uid)
{
	struct holder *h = find(s, uid);

	if (h)
		return h;
	descriptors_forget(s);
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->uid = uid;
	LIST_INSERT_HEAD(&s->holders, h, link);
	return h;
}

bool descriptor_may_come(const struct service *s, uid_t uid)
{
	struct holder *h = find(s, uid);

	return !h || atomic_load(&h->nr) < ON_THE_WAY_MAX;
}

bool descriptor_came(struct service *s, uid_t uid)
{
	struct holder *h = get(s, uid);

	if (h)
		atomic_fetch_add(&h->nr, 1);
	return h;
}

void descriptor_went(struct service *s, uid_t uid)
{
	atomic_fetch_sub(&find(s, uid)->nr, 1);
}

static void *close_it(void *arg)
{
	struct closing c = *(struct closing *)arg;

	free(arg);
	close(c.fd);
	atomic_fetch_sub(&c.holder->nr, 1);
	return NULL;
}

void descriptor_close(struct service *s, uid_t uid, int fd)
{
	/* Memory has no file system that could wait for somebody. */
	struct holder *h = fcntl(fd, F_GET_SEALS) < 0 ? get(s, uid) : NULL;
	struct closing *c = h ? malloc(sizeof(*c)) : NULL;
	pthread_t thread;

	if (c) {
		*c = (struct closing) { .holder = h, .fd = fd };
		atomic_fetch_add(&h->nr, 1);
		if (!pthread_create(&thread, NULL, close_it, c)) {
			pthread_detach(thread);
			return;
		}
		atomic_fetch_sub(&h->nr, 1);
		free(c);
	}
	close(fd);
}

void descriptors_forget(struct service *s)
{
	struct holder *h = LIST_FIRST(&s->holders);

	while (h) {
		struct holder *next = LIST_NEXT(h, link);

		if (!atomic_load(&h->nr)) {
			LIST_REMOVE(h, link);
			free(h);
		}
		h = next;
	}
}
