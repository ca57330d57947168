// SPDX-License-Identifier: GPL-2.0
/* loop.c - one epoll loop; drops pending events of a source that leaves before its turn */
#include "loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "turn.h"

/* Events taken at a time: small, so that no source waits long for its turn */
#define READY_MAX 64

int loop_init(struct loop *l)
{
	*l = (struct loop) { .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	return l->epoll_fd < 0 ? -errno : 0;
}

int loop_join(struct loop *l, struct loop_source *source, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = source };

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, source->fd, &ev) ? -errno : 0;
}

int loop_change(struct loop *l, struct loop_source *source, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = source };

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, source->fd, &ev) ? -errno : 0;
}

void loop_leave(struct loop *l, const struct loop_source *source)
{
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
	for (int i = 0; i < l->ready_nr; i++)
		if (l->ready[i].data.ptr == source)
			l->ready[i].data.ptr = NULL;
}

int loop_add(struct loop *l, int fd, uint32_t events, loop_handler *handler, void *arg)
{
	struct loop_source *source = &l->sources[l->source_nr];
	int error;

	if (l->source_nr == LOOP_SOURCE_MAX)
		return -ENOSPC;
	*source = (struct loop_source) { .fd = fd, .handler = handler, .arg = arg };
	error = loop_join(l, source, events);
	if (!error)
		l->source_nr++;
	return error;
}

int loop_run(struct loop *l)
{
	struct epoll_event events[READY_MAX];

	l->is_done = false;
	l->ready = events;
	while (!l->is_done) {
		l->ready_nr = 0;
		turn_give(l->turn);
		l->ready_nr = epoll_wait(l->epoll_fd, events, READY_MAX, -1);
		turn_take(l->turn);
		if (l->ready_nr < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < l->ready_nr && !l->is_done; i++) {
			const struct loop_source *source = events[i].data.ptr;

			if (source)
				source->handler(source->arg, events[i].events);
		}
	}
	l->ready_nr = 0;
	return 0;
}

void loop_stop(struct loop *l)
{
	l->is_done = true;
}

void loop_exit(struct loop *l)
{
	close(l->epoll_fd);
}
