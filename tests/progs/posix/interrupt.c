// SPDX-License-Identifier: GPL-2.0
/*
 * interrupt.c own|other|log wait|timed - one signal at the very beginning of a sleep of
 * posix_trace_getnext_event(), or just before it, which the sleep itself does not see
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <trace.h>
#include <unistd.h>

#include "../../unit/check.h"

#define SLEEPS 20	/* after which the wait is ended by an event */

static volatile sig_atomic_t sleeps, handled, sent;
static pid_t child = -1;
static int to_child[2];
static trace_event_id_t id;

static void handler(int number)
{
	(void)number;
	handled++;
}

/* The traced process is this one, or the child. */
static void tell(void)
{
	if (child < 0)
		posix_trace_event(id, "x", 1);
	else
		CHECK_EQ(write(to_child[1], "x", 1), 1);
}

/* In the place of the C library's: the signal comes before the first sleep. */
long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list list;

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_futex && a[1] == FUTEX_WAIT && sent) {
		if (++sleeps == 1)
			raise(sent);
		else if (sleeps == SLEEPS)
			tell();
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void start_child(void)
{
	char c;

	CHECK(!pipe(to_child));
	child = fork();
	if (child)
		return;
	while (close(to_child[1]), read(to_child[0], &c, 1) > 0)
		posix_trace_event(id, &c, 1);
	_exit(0);
}

/* The wait's error, after it has been sent the signal @number once */
static int wait_with(trace_id_t trid, bool is_timed, int number)
{
	const struct timespec until = { time(NULL) + 100000, 0 };
	struct posix_trace_event_info info;
	int nothing, error;
	size_t len;
	char data;

	do
		CHECK_EQ(posix_trace_trygetnext_event(trid, &info, &data, 1, &len, &nothing), 0);
	while (!nothing);
	sleeps = handled = 0;
	sent = number;
	error = is_timed ?
		posix_trace_timedgetnext_event(trid, &info, &data, 1, &len, &nothing, &until) :
		posix_trace_getnext_event(trid, &info, &data, 1, &len, &nothing);
	sent = 0;
	return error;
}

static void set(int number, void (*act)(int), int flags)
{
	const struct sigaction action = { .sa_handler = act, .sa_flags = flags };

	CHECK(!sigaction(number, &action, NULL));
}

int main(int argc, char **argv)
{
	const bool is_timed = argc == 3 && !strcmp(argv[2], "timed");
	trace_id_t trid;
	sigset_t mask;
	int fd;

	CHECK(argc == 3);
	CHECK_EQ(posix_trace_eventid_open("interrupt", &id), 0);
	if (!strcmp(argv[1], "other"))
		start_child();
	if (!strcmp(argv[1], "log")) {
		fd = open("log", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		CHECK_EQ(posix_trace_create_withlog(0, NULL, fd, &trid), 0);
	} else {
		CHECK_EQ(posix_trace_create(child < 0 ? 0 : child, NULL, &trid), 0);
	}
	CHECK_EQ(posix_trace_start(trid), 0);
	set(SIGUSR1, handler, 0);
	set(SIGUSR2, handler, SA_RESTART);
	set(SIGHUP, SIG_IGN, 0);
	CHECK_EQ(wait_with(trid, is_timed, SIGUSR1), EINTR);
	CHECK_EQ(handled, 1);
	CHECK(sleeps < SLEEPS);
	CHECK_EQ(wait_with(trid, is_timed, SIGUSR2), 0);
	CHECK_EQ(handled, 1);
	CHECK_EQ(wait_with(trid, is_timed, SIGHUP), 0);
	CHECK_EQ(wait_with(trid, is_timed, SIGCHLD), 0);
	/* As the caller holds it back, it does not come. */
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	CHECK_EQ(wait_with(trid, is_timed, SIGUSR1), 0);
	CHECK_EQ(handled, 0);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	CHECK_EQ(handled, 1);
	if (child > 0)
		kill(child, SIGKILL);
	CHECK_EQ(posix_trace_shutdown(trid), 0);
	puts("ok");
	return 0;
}
