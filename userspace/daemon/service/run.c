// SPDX-License-Identifier: GPL-2.0
/* run.c - runs ktraced --service: opens its sockets, serves, closes them */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/log.h"
#include "service/ipc/listen.h"
#include "service/session/builtin_producer.h"
#include "service/session/rpc_ports.h"
#include "service/session/service.h"

/* Number of the first socket that systemd passes. */
#define LISTEN_FIRST 3

static const struct address producer_address = {
	.variable = "PERFETTO_PRODUCER_SOCK_NAME", .file = "/run/perfetto/traced-producer.sock",
	.spare = "/tmp/perfetto-producer", .mode = 0666,
};

static const struct address consumer_address = {
	.variable = "PERFETTO_CONSUMER_SOCK_NAME", .file = "/run/perfetto/traced-consumer.sock",
	.spare = "/tmp/perfetto-consumer", .mode = 0660,
};

/* Seeds the generator that skips triggers at random. */
static void seed(void)
{
	long number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number))
		srand48(number);
}

/* Returns the socket called @name of those passed by systemd, -1 if there is none. */
static int inherited(const char *name)
{
	const char *pid = getenv("LISTEN_PID"), *nr = getenv("LISTEN_FDS");
	const char *names = getenv("LISTEN_FDNAMES");
	size_t len = strlen(name);

	if (!pid || !nr || !names || atoi(pid) != getpid())
		return -1;
	for (int fd = LISTEN_FIRST; fd < LISTEN_FIRST + atoi(nr); fd++) {
		size_t this = strcspn(names, ":");

		if (this == len && !memcmp(names, name, len)) {
			fcntl(fd, F_SETFD, FD_CLOEXEC);
			fcntl(fd, F_SETFL, O_NONBLOCK);
			return fd;
		}
		if (!names[this])
			break;
		names += this + 1;
	}
	return -1;
}

/* Does what sd_notify(3) does, without its library. */
static void notify(const char *state)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(sun.sun_path))
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	memcpy(sun.sun_path, path, len);
	if (*path == '@')
		sun.sun_path[0] = 0;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const void *)&sun,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

/* struct interrupt - the descriptor that signals are read from, and the loop that they stop */
struct interrupt {
	int fd;
	struct loop *loop;
};

static void on_signal(void *arg, uint32_t events)
{
	const struct interrupt *i = arg;
	struct signalfd_siginfo info;

	(void)events;
	if (read(i->fd, &info, sizeof(info)) > 0)
		loop_stop(i->loop);
}

/* @producers: the listener that our own producer connects to, NULL = no such producer */
static int serve(struct service *s, const sigset_t *signals, const struct listener *producers)
{
	struct builtin_producer own;
	struct interrupt interrupt = { .loop = &s->loop };
	sigset_t ends = *signals;
	int error;

	/* Keeps SIGCHLD out: the loop watches our only child by its descriptor. */
	sigdelset(&ends, SIGCHLD);
	interrupt.fd = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	error = interrupt.fd < 0 ? -errno :
		loop_add(&s->loop, interrupt.fd, EPOLLIN, on_signal, &interrupt);
	if (!error) {
		log_note("serving producers at %s, consumers at %s",
			 address_name(&producer_address), address_name(&consumer_address));
		notify("READY=1");
		if (producers)
			builtin_producer_begin(&own, s, producers->source.fd);
		error = loop_run(&s->loop);
		notify("STOPPING=1");
		if (!error)
			error = service_finish(s);
		if (producers)
			builtin_producer_end(&own);
	}
	if (error)
		log_error("event loop: %s", strerror(-error));
	if (interrupt.fd >= 0)
		close(interrupt.fd);
	return error ? EXIT_OWN : 0;
}

int service_run(const sigset_t *signals, bool has_producer, uint64_t shared_max)
{
	/* Not on the stack: contains the table of all buffers. */
	static struct service service;
	struct listener producers, consumers;
	int error, status = EXIT_OWN;

	descriptors_allow_all();	/* each producer needs two */
	seed();
	error = service_init(&service);
	if (error) {
		log_error("cannot start the service: %s", strerror(-error));
		return EXIT_OWN;
	}
	if (shared_max)
		service.shared_max = shared_max;
	if (listener_open(&producers, &service.peers, &producer_port, &producer_address,
			  inherited("producer")))
		goto out;
	if (!listener_open(&consumers, &service.peers, &consumer_port, &consumer_address,
			   inherited("consumer"))) {
		status = serve(&service, signals, has_producer ? &producers : NULL);
		listener_close(&consumers);
	}
	listener_close(&producers);
out:
	service_exit(&service);
	return status;
}
