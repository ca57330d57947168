// SPDX-License-Identifier: GPL-2.0
/*
 * throttled.c - somebody is stopped or killed while a flush is under way
 *
 * XSH posix_trace_flush. The log is a pipe that nobody reads at first, so posix_trace_flush()
 * returns while the flush goes on, for as long as the test likes. One process is traced, another
 * one is its controller; this one reads the pipe.
 *
 * PTRC-42, PTRC-43
 */
#include "suite.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE "XSH posix_trace_flush"
#define EVENTS 3000u
#define MORE 10u

/* struct process - a child that does what it is told, and answers */
struct process {
	pid_t pid;
	int fd;
};

static trace_event_id_t id;
static trace_id_t trid;

/* answer - what each command does, in the child. Return: what the parent is told. */
static int answer(int command)
{
	static uint64_t number;

	switch (command) {
	case 'e':
		for (unsigned int i = 0; i < EVENTS; i++)
			tell(id, number++);
		return 0;
	case 'm':
		for (unsigned int i = 0; i < MORE; i++)
			tell(id, number++);
		return 0;
	case 'f':
		return posix_trace_flush(trid);
	case 's':
		return status(trid).posix_stream_flush_status;
	default:
		return posix_trace_shutdown(trid);
	}
}

static void obey(int fd)
{
	char command;
	int said;

	while (read(fd, &command, 1) == 1) {
		said = answer(command);
		if (write(fd, &said, sizeof(said)) != sizeof(said))
			break;
	}
	_exit(0);
}

static void begin(int fd, pid_t traced)
{
	trace_attr_t attr;

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setstreamsize(&attr, 1 << 20));
	need(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL));
	need(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND));
	need(posix_trace_create_withlog(traced, &attr, fd, &trid));
	need(posix_trace_start(trid));
}

/* child - the traced process; or, with a log for @traced, its controller */
static struct process child(int log, pid_t traced, int other)
{
	struct process p;
	int fds[2];

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ? errno : 0);
	fflush(stdout);
	p.pid = fork();
	need(p.pid < 0 ? errno : 0);
	if (p.pid == 0) {
		close(fds[0]);
		if (other >= 0)
			close(other);
		if (traced) {
			begin(log, traced);
			close(log);
		}
		obey(fds[1]);
	}
	close(fds[1]);
	p.fd = fds[0];
	return p;
}

static void say(const struct process *p, char command)
{
	need(write(p->fd, &command, 1) == 1 ? 0 : EPIPE);
}

static int hear(const struct process *p)
{
	int said = -1;

	return read(p->fd, &said, sizeof(said)) == sizeof(said) ? said : -1;
}

static int ask(const struct process *p, char command)
{
	say(p, command);
	return hear(p);
}

static void end(const struct process *p)
{
	kill(p->pid, SIGKILL);
	close(p->fd);
	waitpid(p->pid, NULL, 0);
}

/* copy - what has come through the pipe. Return: whether there may be more */
static bool copy(int from, int to)
{
	char bytes[4096];
	ssize_t n = read(from, bytes, sizeof(bytes));

	if (n > 0)
		need(write(to, bytes, n) == n ? 0 : errno);
	else if (n < 0)
		pause_ms(1);
	return n > 0 || (n < 0 && errno == EAGAIN);
}

/* flushed - the pipe is read until the flush is over */
static void flushed(const struct process *controller, int from, int to)
{
	int said;

	do {
		copy(from, to);
		said = ask(controller, 's');
	} while (said == POSIX_TRACE_FLUSHING);
	same(DESCRIPTION, said, POSIX_TRACE_NOT_FLUSHING, "the flush comes to its end");
}

static void in_log(int fd, unsigned int want, const char *what)
{
	unsigned int n = 0, wrong = 0;
	struct seen e;

	trid = reopened(fd);
	while (log_next(trid, &e))
		if (posix_trace_eventid_equal(trid, e.info.posix_event_id, id))
			wrong += number_of(&e) != n++;
	same(DESCRIPTION, n, want, "%s: the log has all events", what);
	same(DESCRIPTION, wrong, 0, "in order");
	need(posix_trace_close(trid));
}

/* struct situation - what happens to which process while the flush is under way */
struct situation {
	const char *what;
	bool is_controller;
	int signal;
};

static void happens(const struct situation *s)
{
	int pipes[2], file = new_file();
	struct process traced, controller, *victim = s->is_controller ? &controller : &traced;
	const bool is_killed = s->signal == SIGKILL;
	unsigned int want = EVENTS;

	need(pipe2(pipes, O_CLOEXEC) ? errno : 0);
	need(fcntl(pipes[0], F_SETFL, O_NONBLOCK) ? errno : 0);
	traced = child(-1, 0, pipes[1]);
	controller = child(pipes[1], traced.pid, pipes[0]);
	close(pipes[1]);
	same("XSH posix_trace_create", ask(&controller, 's'), POSIX_TRACE_NOT_FLUSHING,
	     "%s: nothing is flushed at first", s->what);
	ask(&traced, 'e');
	same(RETURNS, ask(&controller, 'f'), 0, "a flush begins");
	same(DESCRIPTION, ask(&controller, 's'), POSIX_TRACE_FLUSHING,
	     "it is under way when the function has returned");

	kill(victim->pid, s->signal);
	if (victim == &traced)
		flushed(&controller, pipes[0], file);
	if (victim == &controller || !is_killed) {
		if (victim == &traced)
			kill(victim->pid, SIGCONT);
		same(DESCRIPTION, ask(&traced, 'm'), 0, "the traced process goes on meanwhile");
		want += MORE;
	}
	if (victim == &controller && !is_killed)
		kill(victim->pid, SIGCONT);
	if (victim == &traced || !is_killed)
		say(&controller, 'x');
	while (copy(pipes[0], file))
		;
	if (victim == &traced || !is_killed)
		same("XSH posix_trace_shutdown", hear(&controller), 0, "the stream is shut down");
	in_log(file, want, s->what);
	end(&controller);
	end(&traced);
	close(pipes[0]);
	close(file);
}

/*
 * The log takes less than a block of it. A flush that nobody has asked for is over when the block
 * is written, not when the stream has been read.
 */
static void under_way(void)
{
	int pipes[2], file = new_file(), waiting = 0;
	char bytes[4096];
	trace_attr_t attr;

	need(pipe2(pipes, O_CLOEXEC) ? errno : 0);
	need(fcntl(pipes[1], F_SETPIPE_SZ, 4 * 4096) < 0 ? errno : 0);
	need(fcntl(pipes[0], F_SETFL, O_NONBLOCK) ? errno : 0);
	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND));
	need(posix_trace_create_withlog(0, &attr, pipes[1], &trid));
	while (read(pipes[0], bytes, sizeof(bytes)) > 0)
		;
	need(posix_trace_start(trid));
	for (unsigned int i = 0; i < 700; i++)
		tell(id, i);
	while (waiting < 2 * 4096) {
		need(ioctl(pipes[0], FIONREAD, &waiting) ? errno : 0);
		pause_ms(1);
	}
	same("XSH posix_trace_get_status", status(trid).posix_stream_flush_status,
	     POSIX_TRACE_FLUSHING, "a flush is under way until its log has taken all of it");
	while (status(trid).posix_stream_flush_status == POSIX_TRACE_FLUSHING)
		copy(pipes[0], file);
	close(pipes[0]);
	posix_trace_shutdown(trid);
	close(pipes[1]);
	close(file);
}

/* More comes than the log takes, and nobody waits for it. */
static void too_much(void)
{
	struct posix_trace_status_info s;
	uint64_t n = 0;
	trace_attr_t attr;
	int pipes[2];

	need(pipe2(pipes, O_CLOEXEC) ? errno : 0);
	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND));
	need(posix_trace_create_withlog(0, &attr, pipes[1], &trid));
	need(posix_trace_start(trid));
	do {
		tell(id, n++);
		s = status(trid);
	} while (s.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN && n < 1 << 24);
	same("XSH 2.11.1", s.posix_stream_overrun_status, POSIX_TRACE_OVERRUN,
	     "FLUSH into a log that takes nothing: what is lost is told");
	check("XSH 2.11.1", s.posix_stream_full_status == POSIX_TRACE_FULL &&
	      s.posix_stream_status == POSIX_TRACE_SUSPENDED, "the stream is full");
	close(pipes[0]);
	check("XSH posix_trace_shutdown", posix_trace_shutdown(trid) != 0,
	      "the log is not complete: shutdown says so");
	close(pipes[1]);
}

int main(void)
{
	static const struct situation situations[] = {
		{ "the traced process is stopped", false, SIGSTOP },
		{ "the traced process is killed", false, SIGKILL },
		{ "the controller is stopped", true, SIGSTOP },
		{ "the controller is killed", true, SIGKILL },
	};

	signal(SIGPIPE, SIG_IGN);
	id = event("told");
	for (size_t i = 0; i < sizeof(situations) / sizeof(situations[0]); i++)
		happens(&situations[i]);
	under_way();
	too_much();
	return done();
}
