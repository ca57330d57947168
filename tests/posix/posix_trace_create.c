// SPDX-License-Identifier: GPL-2.0
#include "suite.h"

#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE "XSH posix_trace_create"

/* PTRC-20: As it is made: suspended, empty, nothing lost, nothing filtered */
static void as_made(void)
{
	trace_id_t trid = -1;
	trace_event_set_t filter;
	trace_event_id_t id = event("early");
	struct posix_trace_status_info s;
	int member = 1;

	same(RETURNS, posix_trace_create(0, NULL, &trid), 0, "a stream of this process is made");
	s = status(trid);
	same(DESCRIPTION, s.posix_stream_status, POSIX_TRACE_SUSPENDED, "it is suspended");
	same("XSH 2.11.1", s.posix_stream_full_status, POSIX_TRACE_NOT_FULL, "it is not full");
	same("XSH 2.11.1", s.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "nothing is lost");
	same("XSH 2.11.1", s.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "without a log none is lost there");
	same("XSH 2.11.1", s.posix_log_full_status, POSIX_TRACE_NOT_FULL,
	     "without a log that is not full");
	same("XSH 2.11.1", s.posix_stream_flush_status, POSIX_TRACE_NOT_FLUSHING,
	     "nothing is flushed");
	same("XSH 2.11.1", s.posix_stream_flush_error, 0, "nor failed to be");
	need(posix_trace_get_filter(trid, &filter));
	for (trace_event_id_t i = POSIX_TRACE_START; i <= POSIX_TRACE_FLUSH_STOP; i++) {
		need(posix_trace_eventset_ismember(i, &filter, &member));
		same(DESCRIPTION, member, 0, "its filter is empty: %u is not in it", i);
	}
	need(posix_trace_eventset_ismember(id, &filter, &member));
	same(DESCRIPTION, member, 0, "its filter is empty: no event of programs is in it");
	tell(id, 1);
	tells(DESCRIPTION, trid, ACTIVE, "", "an event before the start is not recorded");
	need(posix_trace_shutdown(trid));
}

/* PTRC-21 */
static void several(void)
{
	trace_id_t a = started(POSIX_TRACE_LOOP, 0), b = started(POSIX_TRACE_UNTIL_FULL, 0);
	trace_event_id_t id = event("both");

	check(DESCRIPTION, a != b, "streams have ids of their own");
	tell(id, 1);
	need(posix_trace_stop(b));
	tell(id, 2);
	tells("XSH 2.11", a, ACTIVE, "both both", "an event goes to each running stream");
	tells("XSH 2.11", b, ACTIVE, "both STOP", "and not to one that was stopped");
	need(posix_trace_shutdown(a));
	tell(id, 3);
	same("XSH 2.11", posix_trace_get_status(b, &(struct posix_trace_status_info){ 0 }), 0,
	     "the end of one leaves the other");
	need(posix_trace_shutdown(b));
}

/* PTRC-21 */
static void until_too_many(void)
{
	trace_id_t trid[TRACE_SYS_MAX + 1];
	int n, error = 0;

	for (n = 0; n <= TRACE_SYS_MAX && !error; n++)
		error = posix_trace_create(0, NULL, &trid[n]);
	same(ERRORS, error, EAGAIN, "one more than there may be: EAGAIN");
	check("XBD <limits.h>", n - 1 >= _POSIX_TRACE_SYS_MAX, "there may be %d at least",
	      _POSIX_TRACE_SYS_MAX);
	choice("XBD <limits.h>", n - 1 == TRACE_SYS_MAX, "there may be TRACE_SYS_MAX: %d", n - 1);
	need(posix_trace_shutdown(trid[0]));
	same(ERRORS, posix_trace_create(0, NULL, &trid[0]), 0, "one less: there is room again");
	for (n -= 2; n >= 0; n--)
		need(posix_trace_shutdown(trid[n]));
}

static void wait_to_be_killed(void)
{
	for (;;)
		pause();
}

static pid_t other(void)
{
	pid_t pid = fork();

	need(pid < 0 ? errno : 0);
	if (pid == 0)
		wait_to_be_killed();
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Without a right to it */
static void of_others(void *argument)
{
	pid_t *target = argument;
	trace_id_t trid;

	if (setgid(65534) || setuid(65534))
		return;
	same(ERRORS, posix_trace_create(*target, NULL, &trid), EPERM,
	     "a process of another user: EPERM");
}

static void *traces_its_number(void *unused)
{
	trace_id_t trid;

	(void)unused;
	return (void *)(intptr_t)posix_trace_create((pid_t)syscall(SYS_gettid), NULL, &trid);
}

/* What a process traces of itself is its own, whatever it has given up since it started. */
static void of_itself(void *unused)
{
	trace_id_t trid;

	(void)unused;
	clearenv();
	if (setgid(65534) || setuid(65534))
		return;
	trid = started(0, 0);
	tell(event("own"), 1);
	tells(DESCRIPTION, trid, ACTIVE, "own", "a process that has become another user's may "
	      "trace itself");
	need(posix_trace_shutdown(trid));
}

/* PTRC-22 */
static void targets(void)
{
	pid_t pid = other();
	pthread_t thread;
	trace_id_t trid;
	void *error;
	char max[32] = "";
	FILE *f = fopen("/proc/sys/kernel/pid_max", "r");

	same(DESCRIPTION, posix_trace_create(pid, NULL, &trid), 0, "a stream of another process");
	same(DESCRIPTION, posix_trace_shutdown(trid), 0, "which is the creator's");
	if (geteuid() == 0)
		in_good_child(of_others, &pid);
	if (geteuid() == 0)
		in_good_child(of_itself, NULL);
	end(pid);
	same(ERRORS, posix_trace_create(pid, NULL, &trid), ESRCH,
	     "a process that has ended: ESRCH");
	same(ERRORS, posix_trace_create(f && fgets(max, sizeof(max), f) ? atoi(max) + 1 : INT_MAX,
					NULL, &trid), ESRCH, "a process that cannot be: ESRCH");
	if (f)
		fclose(f);
	need(pthread_create(&thread, NULL, traces_its_number, NULL));
	need(pthread_join(thread, &error));
	same(ERRORS, (intptr_t)error, ESRCH, "the number of a thread is no process's: ESRCH");
}

/* PTRC-14 */
static void bad_attributes(void)
{
	trace_attr_t a;
	trace_id_t trid;

	memset(&a, 0, sizeof(a));
	choice(ERRORS, posix_trace_create(0, &a, &trid) == EINVAL, "no attributes object: EINVAL");
	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setstreamfullpolicy(&a, POSIX_TRACE_FLUSH));
	same(ERRORS, posix_trace_create(0, &a, &trid), EINVAL, "FLUSH without a log: EINVAL");
	need(posix_trace_attr_destroy(&a));
}

int main(void)
{
	as_made();
	several();
	targets();
	bad_attributes();
	until_too_many();
	return done();
}
