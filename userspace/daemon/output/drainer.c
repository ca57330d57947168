// SPDX-License-Identifier: GPL-2.0
/*
 * drainer.c - a thread that empties the rings, so that only it waits for the disk
 *
 *	loop	--turn--|ask|-----(epoll)-----|turn: clocks, control, programs|---|done|--
 *	drainer	    wait    |-turn-|write...............|-turn-|write.....|-turn-|    wait
 *
 * Both threads use the same capture and the same session, one at a time. While the drainer waits
 * for the disk it gives its turn away: capture_leave(). The loop does not touch the file then, and
 * what is being written stays in its ring or in a buffer of its own. So while a disk hangs nothing
 * is lost as long as the rings have room, and all but the file goes on.
 */
#include "drainer.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"

/* Drains in a row until the loop is told how full the rings are */
#define DRAINS_MAX 64

/* Drains once, and ends the current part if that was asked for. */
static void drain(struct drainer *d)
{
	const bool partial = d->is_partial;
	bool has_part;

	d->is_partial = false;
	d->fill = capture_drain(d->capture, partial);
	/* The next request may come while this part is being ended. */
	has_part = d->has_part;
	d->has_part = false;
	if (has_part)
		capture_next_part(d->capture);
}

static void *run(void *arg)
{
	struct drainer *d = arg;
	bool is_over;

	/* The last drain comes after the end: it finds out whether the disk answers. */
	do {
		while (sem_wait(&d->work))
			;
		turn_take(&d->turn);
		is_over = d->is_over;
		d->is_partial |= is_over;
		for (int i = 0; i < DRAINS_MAX; i++) {
			drain(d);
			if (!d->has_part && (!d->fill.more || d->is_over || d->is_awaited))
				break;
			turn_give(&d->turn);
			turn_take(&d->turn);
		}
		/* If the end was asked for during this drain, there is another one. */
		d->is_busy = d->is_over && !is_over;
		turn_give(&d->turn);
		eventfd_write(d->done_fd, 1);
	} while (!is_over);
	return NULL;
}

int drainer_begin(struct drainer *d, struct capture *c)
{
	int error;

	d->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->done_fd < 0)
		return -errno;
	d->capture = c;
	d->turn = (struct turn)TURN_INIT;
	sem_init(&d->work, 0, 0);
	turn_take(&d->turn);
	error = pthread_create(&d->thread, NULL, run, d);
	d->has_thread = !error;
	if (d->has_thread)
		pthread_setname_np(d->thread, "ktraced-drainer");
	if (error)
		log_note("no thread for writing: %s; everything else waits for the disk, too",
			 strerror(error));
	else
		capture_share(c, &d->turn);
	return 0;
}

void drainer_ask(struct drainer *d, bool partial)
{
	d->is_partial |= partial;
	if (d->is_busy)
		return;
	if (d->has_thread) {
		d->is_busy = true;
		sem_post(&d->work);
		return;
	}
	drain(d);
	eventfd_write(d->done_fd, 1);
}

bool drainer_done(struct drainer *d)
{
	eventfd_t times;

	eventfd_read(d->done_fd, &times);
	return !d->is_busy;
}

bool drainer_wait(struct drainer *d, int ms)
{
	struct pollfd fd = { .fd = d->done_fd, .events = POLLIN };
	const __u64 end = now_ns() + (__u64)ms * NS_PER_MS;

	d->is_awaited = true;
	while (!drainer_done(d) && now_ns() < end) {
		turn_give(&d->turn);
		poll(&fd, 1, ms);
		turn_take(&d->turn);
	}
	d->is_awaited = false;
	/* The loop still has to see it. */
	eventfd_write(d->done_fd, 1);
	return !d->is_busy;
}

void drainer_end(struct drainer *d)
{
	if (!d->capture)
		return;
	if (d->has_thread) {
		d->is_over = d->is_busy = true;
		sem_post(&d->work);
		if (!drainer_wait(d, (int)(DISK_PATIENCE_NS / NS_PER_MS)))
			log_note("waiting for the disk: %s", d->capture->path);
		turn_give(&d->turn);
		pthread_join(d->thread, NULL);
		capture_share(d->capture, NULL);
	}
	sem_destroy(&d->work);
	close(d->done_fd);
}
