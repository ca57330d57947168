/* SPDX-License-Identifier: GPL-2.0 */
/*
 * turn.h - a lock that threads get in the order in which they asked for it
 *
 * A mutex goes to whoever is quick: a thread that gives it back and takes it again at once, as one
 * that empties rings does, can keep it from all others.
 */
#ifndef KTRACED_BASE_TURN_H
#define KTRACED_BASE_TURN_H

#include <pthread.h>

/**
 * struct turn - such a lock
 * @mutex:	protects the rest
 * @next:	signals that it is somebody else's turn
 * @asked:	number of those who have asked for it
 * @served:	number of those who have given it back
 */
struct turn {
	pthread_mutex_t mutex;
	pthread_cond_t next;
	unsigned int asked;
	unsigned int served;
};

#define TURN_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 }

/* Both do nothing without a @turn: then there is only one thread. */
void turn_take(struct turn *turn);
void turn_give(struct turn *turn);

#endif
