// SPDX-License-Identifier: GPL-2.0
/* service.c - state shared by all sessions and producers */
#include "service.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "check.h"
#include "producer.h"
#include "service/ipc/user.h"
#include "session.h"
#include "trigger.h"

/* Time for disks to finish at the end */
#define EXIT_MS 10000
/* Time for producers to hand over their data, and for consumers to read it */
#define FINISH_MS 30000

int service_init(struct service *s)
{
	int error;

	*s = (struct service) { .uid = geteuid(), .nice = getpriority(PRIO_PROCESS, 0),
		.shared_max = SERVICE_SHARED_MAX };
	TAILQ_INIT(&s->producers);
	TAILQ_INIT(&s->sources);
	TAILQ_INIT(&s->sessions);
	TAILQ_INIT(&s->ending);
	LIST_INIT(&s->disks);
	LIST_INIT(&s->guarded);
	LIST_INIT(&s->fired);
	error = loop_init(&s->loop);
	if (error)
		return error;
	error = timers_init(&s->timers, &s->loop, CLOCK_MONOTONIC);
	if (error)
		goto err_loop;
	connections_init(&s->peers, s, &s->loop, &s->timers);
	works_init(&s->works, &s->timers);
	error = timers_init(&s->boot_timers, &s->loop, CLOCK_BOOTTIME);
	if (error)
		goto err_timers;
	return 0;

err_timers:
	timers_exit(&s->timers);
err_loop:
	loop_exit(&s->loop);
	return error;
}

void service_lost_disk(struct service *s)
{
	if (s->is_exiting && LIST_EMPTY(&s->disks))
		loop_stop(&s->loop);
}

static void give_up(void *arg)
{
	struct service *s = arg;

	log_error("a disk does not answer: traces are incomplete");
	loop_stop(&s->loop);
}

/* Waits until all files are written, for a limited time. */
static void wait_for_disks(struct service *s)
{
	struct timer patience = { .fire = give_up, .arg = s };

	if (LIST_EMPTY(&s->disks))
		return;
	s->is_exiting = true;
	timer_set(&s->timers, &patience, EXIT_MS);
	loop_run(&s->loop);
	timer_stop(&s->timers, &patience);
}

/* Counts sessions to wait for: not copies, nor those written to their files. */
static uint32_t count_unfinished(const struct service *s)
{
	const struct session *session;
	uint32_t nr = 0;

	TAILQ_FOREACH(session, &s->sessions, link)
		nr += session->state != SESSION_CLONED &&
		      !(session->is_over && session->file.is_used);
	return nr;
}

void service_ended_session(struct service *s)
{
	if (s->is_finishing && !count_unfinished(s))
		loop_stop(&s->loop);
}

static void out_of_time(void *arg)
{
	struct service *s = arg;

	loop_stop(&s->loop);
}

int service_finish(struct service *s)
{
	struct timer patience = { .fire = out_of_time, .arg = s };
	uint32_t nr = count_unfinished(s);
	struct session *session;
	int error;

	if (!nr)
		return 0;
	log_note("waiting for %u session%s to end; ctrl-C ends %s now", nr, nr == 1 ? "" : "s",
		 nr == 1 ? "it" : "them");
	s->is_finishing = true;
	TAILQ_FOREACH(session, &s->sessions, link)
		if (session->state != SESSION_CLONED)
			session_finish(session);
	timer_set(&s->timers, &patience, FINISH_MS);
	error = loop_run(&s->loop);
	timer_stop(&s->timers, &patience);
	nr = count_unfinished(s);
	if (nr)
		log_error("%u session%s did not end: %s not complete", nr, nr == 1 ? "" : "s",
			  nr == 1 ? "its trace is" : "their traces are");
	return error;
}

void service_exit(struct service *s)
{
	struct session *session;

	while ((session = TAILQ_FIRST(&s->sessions)))
		session_free(session, "The service was stopped");
	connections_exit(&s->peers);
	wait_for_disks(s);
	works_finish(&s->works);
	users_forget(&s->peers);
	guard_forget(s);
	trigger_forget(s);
	timers_exit(&s->boot_timers);
	timers_exit(&s->timers);
	loop_exit(&s->loop);
}

int service_add_buffer(struct service *s, struct buffer *b)
{
	for (uint32_t tries = 0; tries < SERVICE_BUFFER_MAX; tries++) {
		s->last_buffer = (uint16_t)(s->last_buffer % SERVICE_BUFFER_MAX + 1);
		if (s->buffers[s->last_buffer])
			continue;
		b->id = s->last_buffer;
		s->buffers[b->id] = b;
		s->buffer_nr++;
		return 0;
	}
	return -ENOSPC;
}

void service_remove_buffer(struct service *s, struct buffer *b)
{
	struct producer *p;

	TAILQ_FOREACH(p, &s->producers, link)
		producer_forget_buffer(p, b->id);
	s->buffers[b->id] = NULL;
	s->buffer_nr--;
}

struct buffer *service_buffer(const struct service *s, uint32_t id)
{
	return id && id <= SERVICE_BUFFER_MAX ? s->buffers[id] : NULL;
}
