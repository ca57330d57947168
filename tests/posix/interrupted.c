// SPDX-License-Identifier: GPL-2.0
/*
 * interrupted.c - a handler runs again and again while streams are made, steered and ended
 *
 * XSH posix_trace_create, posix_trace_start, posix_trace_set_filter, ERRORS: EINTR may be returned.
 * It never is here; and neither is anything done twice, nor half.
 */
#include "suite.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define ROUNDS 30

static volatile sig_atomic_t handled;

static void handler(int number)
{
	(void)number;
	handled++;
}

/* Not to be restarted: whatever waits in the kernel is interrupted. */
static void interrupt_every(long us)
{
	struct itimerval every = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

struct tally {
	unsigned int create, start, filter, stop, end, stories;
};

/* without_log - the stream is read */
static void without_log(struct tally *failed, const trace_event_set_t *set)
{
	trace_id_t trid;

	failed->create += posix_trace_create(0, NULL, &trid) != 0;
	failed->start += posix_trace_start(trid) != 0;
	failed->filter += posix_trace_set_filter(trid, set, POSIX_TRACE_SET_EVENTSET) != 0;
	failed->stop += posix_trace_stop(trid) != 0;
	failed->stories += strcmp(story(trid, ACTIVE), "START FILTER STOP") != 0;
	failed->end += posix_trace_shutdown(trid) != 0;
}

/* with_log - the log is read */
static void with_log(struct tally *failed, const trace_event_set_t *set)
{
	int fd = new_file();
	trace_id_t trid;

	failed->create += posix_trace_create_withlog(0, NULL, fd, &trid) != 0;
	failed->start += posix_trace_start(trid) != 0;
	failed->filter += posix_trace_set_filter(trid, set, POSIX_TRACE_SET_EVENTSET) != 0;
	failed->stop += posix_trace_stop(trid) != 0;
	failed->end += posix_trace_shutdown(trid) != 0;
	trid = reopened(fd);
	failed->stories += strcmp(story(trid, RECORDED), "START FILTER STOP") != 0;
	failed->end += posix_trace_close(trid) != 0;
	close(fd);
}

static void rounds(void (*round)(struct tally *, const trace_event_set_t *), const char *what)
{
	struct tally failed = { 0 };
	trace_event_set_t set;

	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_add(event("left out"), &set));
	handled = 0;
	interrupt_every(300);
	for (unsigned int i = 0; i < often(ROUNDS); i++)
		round(&failed, &set);
	interrupt_every(0);
	check("suite", handled > (int)often(ROUNDS), "%s: the handler has run %d times", what,
	      (int)handled);
	choice("XSH posix_trace_create", !failed.create, "%s: each is made", what);
	choice("XSH posix_trace_start", !failed.start, "%s: each is started", what);
	choice("XSH posix_trace_set_filter", !failed.filter, "%s: each has the filter", what);
	choice("XSH posix_trace_stop", !failed.stop, "%s: each is stopped", what);
	same("XSH posix_trace_shutdown", failed.end, 0, "%s: each is ended", what);
	same("XSH 2.11.2", failed.stories, 0, "%s: each has one of each event", what);
}

int main(void)
{
	rounds(without_log, "without log");
	rounds(with_log, "with log");
	return done();
}
