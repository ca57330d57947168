// SPDX-License-Identifier: GPL-2.0
/*
 * killed.c - a controller ends by any means: its streams are shut down, their logs complete
 *
 * XSH posix_trace_create: as if posix_trace_shutdown() had been called, when the process exits,
 * executes a program or is terminated.
 *
 * PTRC-28
 */
#include "suite.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE "XSH posix_trace_create"
#define EVENTS 300

enum end { BY_EXIT, BY__EXIT, BY_EXEC, BY_TERM, BY_ABORT, BY_KILL };

static const char *const ends[] = { "exit()", "_exit()", "exec", "SIGTERM", "abort()", "SIGKILL" };

static void end(enum end how)
{
	switch (how) {
	case BY_EXIT:
		exit(0);
	case BY__EXIT:
		_exit(0);
	case BY_EXEC:
		execl("/bin/true", "true", NULL);
		break;
	case BY_TERM:
		raise(SIGTERM);
		break;
	case BY_ABORT:
		abort();
	case BY_KILL:
		raise(SIGKILL);
		break;
	}
	_exit(77);
}

/*
 * await_log - until what has to be completed by another process is: the file is opened again, as
 * the descriptor, and its position, are the stream's until then
 */
static int await_log(int fd, trace_id_t *trid)
{
	int error = EINVAL, own;
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	for (int i = 0; i < 60000; i++) {
		own = open(name, O_RDONLY);
		need(own < 0 ? errno : 0);
		error = posix_trace_open(own, trid);
		if (error != EINVAL)
			break;
		close(own);
		pause_ms(1);
	}
	return error;
}

/* A process that traces itself into a log, which has room for all that it tells */
static void of_itself(enum end how, int policy, int log_policy)
{
	int fd = new_file();
	uint64_t n = 0, wrong = 0;
	trace_event_id_t id = event("kept");
	struct seen e;
	trace_id_t trid;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid < 0 ? errno : 0);
	if (pid == 0) {
		trid = logged(fd, policy, log_policy, 0);
		need(posix_trace_start(trid));
		for (uint64_t i = 0; i < EVENTS; i++)
			tell(id, i);
		end(how);
	}
	waitpid(pid, NULL, 0);
	if (!same(DESCRIPTION, await_log(fd, &trid), 0, "the controller ends by %s: its log opens",
		  ends[how]))
		return;
	while (log_next(trid, &e))
		if (posix_trace_eventid_equal(trid, e.info.posix_event_id, id))
			wrong += number_of(&e) != n++;
	same(DESCRIPTION, n, EVENTS, "it has all events");
	same(DESCRIPTION, wrong, 0, "in order");
	need(posix_trace_close(trid));
	close(fd);
}

/* A process is traced by another, which is killed: it goes on, untraced. */
static void of_another(void)
{
	int fd = new_file(), ready[2];
	pid_t self = getpid(), pid;
	trace_event_id_t id = event("of the traced");
	struct seen e;
	trace_id_t trid;
	uint64_t n = 0;
	char c;

	need(pipe(ready) ? errno : 0);
	fflush(stdout);
	pid = fork();
	need(pid < 0 ? errno : 0);
	if (pid == 0) {
		need(posix_trace_create_withlog(self, NULL, fd, &trid));
		need(posix_trace_start(trid));
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	need(read(ready[0], &c, 1) == 1 ? 0 : EIO);
	for (uint64_t i = 0; i < EVENTS; i++)
		tell(id, i);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	same(DESCRIPTION, await_log(fd, &trid), 0, "the log of another process opens, too");
	tell(id, EVENTS);
	while (log_next(trid, &e))
		n += posix_trace_eventid_equal(trid, e.info.posix_event_id, id);
	same(DESCRIPTION, n, EVENTS, "it has all events");
	need(posix_trace_close(trid));
	close(ready[0]);
	close(ready[1]);
	close(fd);
}

/* Streams without log are gone, and do not count any more. */
static void makes_many(void *argument)
{
	trace_id_t trid;

	(void)argument;
	for (int i = 0; i < TRACE_SYS_MAX; i++)
		if (posix_trace_create(0, NULL, &trid))
			break;
	raise(SIGKILL);
}

/* This program once more, in a process that has all streams that there may be */
static void executes(void *argument)
{
	trace_id_t trid;

	(void)argument;
	for (int i = 0; i < TRACE_SYS_MAX; i++)
		if (posix_trace_create(0, NULL, &trid))
			break;
	execl("/proc/self/exe", "killed", "makes one", NULL);
	_exit(77);
}

/* deserted - a program that has nothing to do with tracing, in a process with all streams */
static void deserted(void)
{
	int executed[2], error = EAGAIN;
	trace_id_t trid;
	pid_t pid;
	char c;

	need(pipe2(executed, O_CLOEXEC) ? errno : 0);
	fflush(stdout);
	pid = fork();
	need(pid < 0 ? errno : 0);
	if (pid == 0) {
		for (int i = 0; i < TRACE_SYS_MAX; i++)
			if (posix_trace_create(0, NULL, &trid))
				break;
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(77);
	}
	close(executed[1]);
	same("suite", read(executed[0], &c, 1), 0, "the program is executed");
	for (int i = 0; i < 10000 && error == EAGAIN; i++) {
		error = posix_trace_create(0, NULL, &trid);
		if (error)
			pause_ms(1);
	}
	same(DESCRIPTION, error, 0,
	     "streams of a process that executes a program that does not trace leave theirs, too");
	if (!error)
		need(posix_trace_shutdown(trid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(executed[0]);
}

static void leaves_none(void)
{
	trace_id_t trid;
	int error = EAGAIN;

	same(DESCRIPTION, in_child(executes, NULL), 0,
	     "streams of a process that executes a program leave their places");

	for (unsigned int i = 0; i < often(3); i++)
		in_child(makes_many, NULL);
	for (int i = 0; i < 10000 && error == EAGAIN; i++) {
		error = posix_trace_create(0, NULL, &trid);
		if (error)
			pause_ms(1);
	}
	same(DESCRIPTION, error, 0, "streams of a killed process leave their places");
	if (!error)
		need(posix_trace_shutdown(trid));
}

int main(int argc, char **argv)
{
	trace_id_t trid;

	(void)argv;
	if (argc > 1)
		return posix_trace_create(0, NULL, &trid) != 0;
	for (enum end how = BY_EXIT; how <= BY_KILL; how++)
		of_itself(how, POSIX_TRACE_FLUSH, how % 2 ? POSIX_TRACE_LOOP : POSIX_TRACE_APPEND);
	of_itself(BY_KILL, POSIX_TRACE_LOOP, POSIX_TRACE_APPEND);
	of_itself(BY_KILL, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_UNTIL_FULL);
	of_another();
	leaves_none();
	deserted();
	return done();
}
