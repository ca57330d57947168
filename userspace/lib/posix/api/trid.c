// SPDX-License-Identifier: LGPL-2.1
/*
 * trid.c - stream identifiers of this process
 *
 * A trid is the number of a place and, above it, how often that place was used: one that was
 * given back is not taken for a later one.
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
 * struct place - one of them
 * @trid:	what is in it; first, as users cast it
 * @use:	how often it was used, this time included
 * @users:	threads that work on it
 * @is_valid:	it has been given out and not taken back
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

/* The only thread there is. Logs that the parent had opened stay open, and belong to nobody. */
void ktrace_posix_trid_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&is_free, NULL);
	for (struct place *p = places; p < places + PLACE_NR; p++) {
		if (!p->use)
			continue;	/* and share its page */
		if (p->trid.control)
			ktrace_posix_control_forget(p->trid.control);
		p->trid = (struct posix_trid) { 0 };
		p->users = 0;
		p->is_valid = false;
	}
}
