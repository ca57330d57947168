/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ptt_kind.h - event types of the POSIX Threads Trace Toolkit (PTT), by name
 *
 * These are its own, and those for functions that it did not have, whose names are made by the same
 * rule: the stem in calls.h in capitals, with _IN and _OUT.
 */
#ifndef VIEWER_PTHREAD_PTT_KIND_H
#define VIEWER_PTHREAD_PTT_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum ptt_state {
	PTT_THREAD_INIT, PTT_THREAD_DETACH, PTT_THREAD_STATE_WAIT, PTT_THREAD_STATE_WAKE,
	PTT_THREAD_STATE_DEAD, PTT_THREAD_STATE_WAIT_BARRIER, PTT_THREAD_STATE_WAKE_BARRIER,
	PTT_MUTEX_STATE_REQUIRE, PTT_MUTEX_STATE_TAKEN, PTT_MUTEX_STATE_FREE,
	PTT_MUTEX_COUNT_INC, PTT_MUTEX_COUNT_DEC, PTT_MUTEX_OWNER, PTT_BARRIER_INIT,
	PTT_BARRIER_LEFT_DEC, PTT_BARRIER_LEFT_INC, PTT_BARRIER_LOCK_REQUIRE,
	PTT_BARRIER_LOCK_TAKEN, PTT_BARRIER_LOCK_FREE, PTT_LOST, PTT_STATE_NR,
};

#define PTT_NAME_MAX 32

/**
 * struct ptt_kind - an event type
 * @name:	its name
 * @name_size:	bytes of it
 * @verb:	what a thread does, printed before the first argument
 * @verb_size:	bytes of it
 * @in_ptt:	PTT had it
 * @is_seen:	a trace can have it
 * @is_call:	it is the beginning or the end of a call
 */
struct ptt_kind {
	char name[PTT_NAME_MAX];
	size_t name_size;
	char verb[80];
	size_t verb_size;
	bool in_ptt;
	bool is_seen;
	bool is_call;
};

/* Returns all types, enum ptt_state first; always the same array. */
const struct ptt_kind *ptt_kinds(size_t *nr);
/*
 * Returns the type of a call's beginning by its stem, "mutex_lock"; that of its end is the next
 * one. NULL: not a function
 */
const struct ptt_kind *ptt_kind_of_call(const char *stem, size_t size);

#endif
