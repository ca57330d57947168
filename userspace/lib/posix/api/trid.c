// SPDX-License-Identifier: LGPL-2.1
/*
 * trid.c - stream identifiers of this process
 *
 * A trid consists of the number of a slot and, above it, the slot's use count: an old trid is never
 * mistaken for a later one.
 */
#include "trid.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "control.h"
#include "posix/registry/member.h"
#include "ring/port.h"

#define PLACE_NR 1024
#define USE_MAX (INT_MAX / PLACE_NR - 1)

/**
 * struct place - a slot for a trid
 * @trid:	its object; first, because pointers are cast
 * @use:	use count, including the current use
 * @users:	number of threads using it
 * @is_valid:	true from ktrace_posix_trid_new() to ktrace_posix_trid_take()
 */
struct place {
	struct posix_trid trid;
	int use;
	int users;
	bool is_valid;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_free = PTHREAD_COND_INITIALIZER;
static struct place places[PLACE_NR];

int ktrace_posix_trid_new(const struct posix_trid *what, trace_id_t *out)
{
	int error = EAGAIN;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < PLACE_NR && error; i++) {
		struct place *p = &places[i];

		if (p->is_valid || p->users || p->trid.control || p->trid.recorded)
			continue;
		p->trid = *what;
		p->use = p->use % USE_MAX + 1;
		p->is_valid = true;
		*out = p->use * PLACE_NR + i;
		error = 0;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

static struct place *find(trace_id_t trid)
{
	struct place *p = trid > 0 ? &places[trid % PLACE_NR] : NULL;

	return p && p->is_valid && p->use == trid / PLACE_NR ? p : NULL;
}

struct posix_trid *ktrace_posix_trid_get(trace_id_t trid)
{
	struct place *p;

	pthread_mutex_lock(&lock);
	p = find(trid);
	if (p)
		p->users++;
	pthread_mutex_unlock(&lock);
	return p ? &p->trid : NULL;
}

void ktrace_posix_trid_put(struct posix_trid *t)
{
	struct place *p = (struct place *)t;

	if (!p)
		return;
	pthread_mutex_lock(&lock);
	if (!--p->users && !p->is_valid)
		pthread_cond_broadcast(&is_free);
	pthread_mutex_unlock(&lock);
}

int ktrace_posix_trid_take(trace_id_t trid, bool is_active, struct posix_trid *out)
{
	struct place *p;

	pthread_mutex_lock(&lock);
	p = find(trid);
	if (!p || is_active != !!p->trid.control) {
		pthread_mutex_unlock(&lock);
		return EINVAL;
	}
	p->is_valid = false;
	if (is_active)
		ktrace_posix_control_interrupt(p->trid.control);
	while (p->users)
		pthread_cond_wait(&is_free, &lock);
	*out = p->trid;
	p->trid = (struct posix_trid) { 0 };
	pthread_mutex_unlock(&lock);
	return 0;
}

/* Runs in the only thread. Logs opened by the parent stay open, but unreachable. */
void ktrace_posix_trid_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&is_free, NULL);
	for (struct place *p = places; p < places + PLACE_NR; p++) {
		if (!p->use)
			continue;	/* leave its page shared */
		if (p->trid.control)
			ktrace_posix_control_forget(p->trid.control);
		p->trid = (struct posix_trid) { 0 };
		p->users = 0;
		p->is_valid = false;
	}
}
