// SPDX-License-Identifier: GPL-2.0
/* sched_boost.c - priority_boost: the service runs with the highest priority of its sessions */
#include "sched_boost.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#define FIFO PFT__PRIORITY_BOOST_CONFIG__BOOST_POLICY__POLICY_SCHED_FIFO

struct priority {
	uint32_t fifo;		/* 1 to 99, 0 = none */
	uint32_t other;		/* the nice value is minus this, 1 to 20; 0 = the usual one */
};

static void raise_to(struct priority *p, const Pft__TraceConfig *config)
{
	const Pft__PriorityBoostConfig *wish = config->priority_boost;

	if (!wish)
		return;
	if (wish->policy == FIFO && wish->priority > p->fifo)
		p->fifo = wish->priority;
	if (wish->policy != FIFO && wish->priority > p->other)
		p->other = wish->priority;
}

static int apply(const struct service *s, const struct priority *p)
{
	const struct sched_param param = { .sched_priority = (int)p->fifo };
	const int nice = -(int)p->other;

	/* Children do not inherit the priority. */
	if (sched_setscheduler(0, (p->fifo ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK,
			       &param))
		return -errno;
	if (setpriority(PRIO_PROCESS, 0, p->other && nice < s->nice ? nice : s->nice))
		return -errno;
	return 0;
}

int sched_boost_update(const struct service *s, const Pft__TraceConfig *more)
{
	const struct session *session;
	struct priority p = { 0 }, before;
	int error;

	if (more && !more->priority_boost)
		return 0;
	TAILQ_FOREACH(session, &s->sessions, link)
		raise_to(&p, session->config);
	before = p;
	if (more)
		raise_to(&p, more);
	error = apply(s, &p);
	if (error)
		apply(s, &before);
	return error;
}
