/* SPDX-License-Identifier: GPL-2.0 */
/* drainer.h - a thread that empties the rings, so that only it waits for the disk */
#ifndef KTRACED_OUTPUT_DRAINER_H
#define KTRACED_OUTPUT_DRAINER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/turn.h"
#include "capture.h"

/* Time that the disk may take for one write before the user is told, and requests are refused */
#define DISK_PATIENCE_NS (2 * NS_PER_S)

/**
 * struct drainer - such a thread
 * @capture:	what it empties the rings with; NULL before drainer_begin()
 * @turn:	held by the thread that uses the capture, the session, and what follows
 * @thread:	the thread
 * @has_thread:	there is one; else drainer_ask() does its work at once
 * @work:	posted when there is something to do
 * @done_fd:	becomes readable after a drain
 * @is_busy:	a drain was asked for, and is not over
 * @is_partial:	the next drain writes blocks that are not full yet, too
 * @has_part:	the current part is to end after this drain, or the next one
 * @is_awaited:	somebody waits for the end of the drain: there is no further one before
 * @is_over:	the thread ends after one more drain
 * @fill:	result of the last drain
 */
struct drainer {
	struct capture *capture;
	struct turn turn;
	pthread_t thread;
	bool has_thread;
	sem_t work;
	int done_fd;
	bool is_busy;
	bool is_partial;
	bool has_part;
	bool is_awaited;
	bool is_over;
	struct capture_fill fill;
};

/*
 * All but drainer_begin() are for its caller, who holds the turn from then on, but for the time
 * when it has nothing to do.
 */

/** drainer_begin - start the thread; 0 or -errno, also if there is none and all goes on without */
int drainer_begin(struct drainer *d, struct capture *c);

/** drainer_ask - ask for a drain; a no-op while there is one, except that @partial is kept */
void drainer_ask(struct drainer *d, bool partial);

/** drainer_done - take the news that drains are over; false if one is going on */
bool drainer_done(struct drainer *d);

/** drainer_wait - wait for the end of a drain; false if it takes longer than @ms */
bool drainer_wait(struct drainer *d, int ms);

/** drainer_end - end the thread, after one more drain; a no-op before drainer_begin() */
void drainer_end(struct drainer *d);

#endif
