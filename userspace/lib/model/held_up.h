/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * held_up.h - which thread held up which other one, with which lock, and how long
 *
 * When a hold ends, it has held up each thread that waits for the lock then, for the time since
 * both the hold and the wait began. If a thread stops waiting before the owner gives the lock back
 * (a timeout, a signal handler waits for something else), the hold counts up to that time. Then
 * only an owner counts, as readers are not known.
 */
#ifndef KTRACE_MODEL_HELD_UP_H
#define KTRACE_MODEL_HELD_UP_H

#include "base/hash_table.h"
#include "pthread_model.h"

/**
 * struct held_up - threads that wait for locks
 * @waiting:	by thread
 * @heads:	lists of the threads that wait for a lock, by object
 * @found:	called for each time that a thread was held up
 * @arg:	argument of @found
 * @error:	-ENOMEM after memory ran out
 */
struct held_up {
	struct hash_table waiting;
	struct hash_table heads;
	void (*found)(void *arg, const struct model_thread *waiter,
		      const struct model_hold *hold);
	void *arg;
	int error;
};

void held_up_init(struct held_up *h);
void held_up_free(struct held_up *h);
/* For the callbacks @given and @thread of the model */
void held_up_given(struct held_up *h, const struct model_hold *hold);
void held_up_thread(struct held_up *h, const struct model_thread *t,
		    const struct model_change *change);

#endif
