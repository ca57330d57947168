/* SPDX-License-Identifier: GPL-2.0 */
/* loop.h - one epoll loop: descriptors and the handlers to call when they are ready */
#ifndef KTRACED_BASE_LOOP_H
#define KTRACED_BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* Handlers are short, never block, and may call loop_stop(). */
typedef void loop_handler(void *arg, uint32_t events);

#define LOOP_SOURCE_MAX 8

struct loop_source {
	int fd;
	loop_handler *handler;
	void *arg;
};

struct epoll_event;
struct turn;

struct loop {
	int epoll_fd;
	bool is_done;
	/* Events of epoll_wait(); NULL in .data.ptr for a source that left before its turn */
	struct epoll_event *ready;
	int ready_nr;
	/* Given away while there is nothing to do; NULL = no other thread waits for it */
	struct turn *turn;
	unsigned int source_nr;
	struct loop_source sources[LOOP_SOURCE_MAX];
};

/* All return 0 or -errno. */
int loop_init(struct loop *l);
int loop_add(struct loop *l, int fd, uint32_t events, loop_handler *handler, void *arg);
/*
 * For sources that come and go: @source belongs to the caller and must not move until loop_leave(),
 * after which its handler is never called again.
 */
int loop_join(struct loop *l, struct loop_source *source, uint32_t events);
int loop_change(struct loop *l, struct loop_source *source, uint32_t events);
void loop_leave(struct loop *l, const struct loop_source *source);
/* Runs handlers until loop_stop(). */
int loop_run(struct loop *l);
void loop_stop(struct loop *l);
void loop_exit(struct loop *l);

#endif
