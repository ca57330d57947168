// SPDX-License-Identifier: GPL-2.0
/* loop.c - one epoll loop; sources are only ever added, so pointers to them stay good */
#include "loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

int loop_init(struct loop *l)
{
	*l = (struct loop) { .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	return l->epoll_fd < 0 ? -errno : 0;
}

int loop_add(struct loop *l, int fd, uint32_t events, loop_handler *handler, void *arg)
{
	struct loop_source *source = &l->sources[l->source_nr];
	struct epoll_event ev = { .events = events, .data.ptr = source };

	if (l->source_nr == LOOP_SOURCE_MAX)
		return -ENOSPC;
	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return -errno;
	*source = (struct loop_source) { .fd = fd, .handler = handler, .arg = arg };
	l->source_nr++;
	return 0;
}

int loop_run(struct loop *l)
{
	struct epoll_event events[LOOP_SOURCE_MAX];

	l->is_done = false;
	while (!l->is_done) {
		int n = epoll_wait(l->epoll_fd, events, LOOP_SOURCE_MAX, -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !l->is_done; i++) {
			const struct loop_source *source = events[i].data.ptr;

			source->handler(source->arg, events[i].events);
		}
	}
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
