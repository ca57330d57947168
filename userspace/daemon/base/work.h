/* SPDX-License-Identifier: GPL-2.0 */
/*
 * work.h - runs jobs of unbounded length in turns of a few ms, with all else between them
 *
 *	work_begin() --the first turn, if the queue is empty--> done
 *	       \                              ^
 *	        `--> queue --steps of a ms, to the end of the queue--'
 *
 * Two queues alternate: many producers must not delay the end of a session.
 */
#ifndef KTRACED_BASE_WORK_H
#define KTRACED_BASE_WORK_H

#include <stdbool.h>
#include <sys/queue.h>

#include "timer.h"

/* After this time of any one activity, or of all work together, everything else has its turn. */
#define TURN_NS 5000000u

enum work_owner {
	WORK_OF_PRODUCER,
	WORK_OF_SESSION,
	WORK_OWNERS
};

struct work {
	TAILQ_ENTRY(work) link;
	enum work_owner owner;
	bool is_waiting;
	/*
	 * Does one step, of a few ms at most. Return: true if there is more; if false, @arg may be
	 * gone.
	 */
	bool (*step)(void *arg);
	void *arg;
};

struct works {
	struct timers *timers;
	struct timer turn;
	bool is_at_it;
	enum work_owner latest;		/* owner of the last work that was taken */
	TAILQ_HEAD(work_list, work) queues[WORK_OWNERS];
};

void works_init(struct works *all, struct timers *timers);
/* Runs its first turn at once if possible. A no-op if the work is already queued. */
void work_begin(struct works *all, struct work *w);
/* Removes a work from the queue. Must not be called from its own step. */
void work_stop(struct works *all, struct work *w);
/* Runs all queued works to their ends. */
void works_finish(struct works *all);

#endif
