// SPDX-License-Identifier: GPL-2.0
/*
 * builtin_producer.c - ktrace's own data sources: a producer started by the service
 *
 * It is a separate process, and speaks to us like any producer. It runs only ktraced: consumers
 * cannot choose a command.
 */
#include "builtin_producer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define PROGRAM "ktrace"
/* A producer that ran this long did not fail to start. */
#define LONG_NS 60000000000ull
/* Short runs in a row before giving up; first delay, which doubles each time */
#define SHORT_MAX 5
#define DELAY_MS 250
#define END_MS 10000

/* Reads the name of the socket for peers to connect to; false if it has none. */
static bool read_socket(struct builtin_producer *p, int fd)
{
	struct sockaddr_un sun;
	socklen_t size = sizeof(sun);
	size_t len;

	if (getsockname(fd, (void *)&sun, &size) || sun.sun_family != AF_UNIX ||
	    size <= offsetof(struct sockaddr_un, sun_path))
		return false;
	len = size - offsetof(struct sockaddr_un, sun_path);
	memcpy(p->socket, sun.sun_path, len);
	p->socket[len] = '\0';
	if (!p->socket[0])
		p->socket[0] = '@';
	return true;
}

/* Finds the program beside this one. */
static bool find_program(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	if (n < 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + sizeof(PROGRAM) > PATH_MAX)
		return false;
	strcpy(slash + 1, PROGRAM);
	return true;
}

/* Runs in the child */
static void become(const struct builtin_producer *p, const char *path, pid_t parent)
{
	char *args[] = { (char *)PROGRAM, (char *)"session", (char *)"produce", NULL };
	sigset_t none;

	/* Without this it would notice our end only when it next uses its connection. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_OWN);
	/* Ctrl-C is only for us: sessions end first, and it has data to hand over then. */
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setenv("PERFETTO_PRODUCER_SOCK_NAME", p->socket, 1);
	/* These are meant for us by systemd. */
	unsetenv("NOTIFY_SOCKET");
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	execv(path, args);
	log_error("%s: %s", path, strerror(errno));
	_exit(EXIT_OWN);
}

static void on_gone(void *arg, uint32_t events);

static void start(void *arg)
{
	struct builtin_producer *p = arg;
	pid_t parent = getpid();
	char path[PATH_MAX];
	int error;

	if (!find_program(path)) {
		log_error("cannot find " PROGRAM " to produce ktrace.user and ktrace.kernel");
		return;
	}
	p->begun_ns = now_ns();
	p->pid = fork();
	if (!p->pid)
		become(p, path, parent);
	error = p->pid < 0 ? -errno : 0;
	if (!error) {
		p->gone = (struct loop_source) { .fd = pidfd_open(p->pid, 0), .handler = on_gone,
						 .arg = p };
		error = p->gone.fd < 0 ? -errno : loop_join(&p->service->loop, &p->gone, EPOLLIN);
	}
	if (!error)
		return;
	log_error("cannot start %s: %s", path, strerror(-error));
	if (p->gone.fd >= 0)
		close(p->gone.fd);
	p->gone.fd = -1;
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	p->pid = 0;
}

/* Returns its wait status. */
static int forget(struct builtin_producer *p)
{
	int status = 0;

	waitpid(p->pid, &status, 0);
	loop_leave(&p->service->loop, &p->gone);
	close(p->gone.fd);
	p->gone.fd = -1;
	p->pid = 0;
	return status;
}

static void on_gone(void *arg, uint32_t events)
{
	struct builtin_producer *p = arg;

	(void)events;
	/* Exit status 0: ended on purpose. */
	if (!forget(p)) {
		log_note("the producer of ktrace.user and ktrace.kernel was ended");
		return;
	}
	p->short_nr = now_ns() - p->begun_ns < LONG_NS ? p->short_nr + 1 : 1;
	if (p->short_nr > SHORT_MAX) {
		log_error("the producer of ktrace.user and ktrace.kernel has ended %u times in a "
			  "row; it is not started again", p->short_nr);
		return;
	}
	log_error("the producer of ktrace.user and ktrace.kernel has ended; it is started again");
	timer_set(&p->service->timers, &p->again, (uint64_t)DELAY_MS << p->short_nr);
}

void builtin_producer_begin(struct builtin_producer *p, struct service *s, int listen_fd)
{
	*p = (struct builtin_producer) { .service = s, .gone.fd = -1 };
	p->again = (struct timer) { .fire = start, .arg = p };
	if (read_socket(p, listen_fd))
		start(p);
	else
		log_error("cannot start the producer of ktrace.user and ktrace.kernel: the "
			  "producer socket has no name");
}

void builtin_producer_end(struct builtin_producer *p)
{
	struct pollfd gone = { .fd = p->gone.fd, .events = POLLIN };

	timer_stop(&p->service->timers, &p->again);
	if (!p->pid)
		return;
	kill(p->pid, SIGTERM);
	if (poll(&gone, 1, END_MS) <= 0)
		kill(p->pid, SIGKILL);
	forget(p);
}
