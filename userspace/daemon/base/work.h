/* SPDX-License-Identifier: GPL-2.0 */
/*
 * work.h - what others' wishes can make long: done in turns of some ms, and all else between them
 *
 *	work_begin() --the first turn, if nobody is before it--> done
 *	       \                              ^
 *	        `--> queue --steps of a ms, to the end of the queue--'
 *
 * Two queues are taken by turns: producers are many, and must not keep a session from its end.
 */
#ifndef KTRACED_BASE_WORK_H
#define KTRACED_BASE_WORK_H

#include <stdbool.h>
#include <sys/queue.h>

#include "timer.h"

/* Behind so much of anything, as of all work together, everything else has its turn. */
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
	/* A step, of some ms at most. Return: whether there is more; otherwise @arg may be gone. */
	bool (*step)(void *arg);
	void *arg;
};

struct works {
	struct timers *timers;
	struct timer turn;
	bool is_at_it;
	enum work_owner latest;		/* whose work it was */
	TAILQ_HEAD(work_list, work) queues[WORK_OWNERS];
};

void works_init(struct works *all, struct timers *timers);
/* At once as far as its first turn goes. Nothing happens if it is under way. */
void work_begin(struct works *all, struct work *w);
/* Not from its own step. */
void work_stop(struct works *all, struct work *w);
/* All that is under way, to its end. */
void works_finish(struct works *all);

#endif
