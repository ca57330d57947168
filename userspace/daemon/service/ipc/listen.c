// SPDX-License-Identifier: GPL-2.0
/* listen.c - a socket for peers to connect to: made here, or passed by systemd */
#include "listen.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/stale_socket.h"
#include "user.h"

#define FOLDER "/run/perfetto"
#define BACKLOG 1024
/* Connections accepted at a time, before existing ones have their turn */
#define ACCEPT_MAX 16
/* Pause in accepting without free descriptors, or with too many being closed */
#define PAUSE_MS 100

const char *address_name(const struct address *a)
{
	const char *name = getenv(a->variable);

	if (name && *name)
		return name;
	return access(FOLDER, W_OK) ? a->spare : a->file;
}

static bool set_address(struct sockaddr_un *sun, socklen_t *size, const char *name)
{
	size_t len = strlen(name);

	*sun = (struct sockaddr_un) { .sun_family = AF_UNIX };
	if (len >= sizeof(sun->sun_path))
		return false;
	memcpy(sun->sun_path, name, len);
	*size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (*name != '@'));
	if (*name == '@')
		sun->sun_path[0] = 0;
	return true;
}

/* Sets the umask, so that nobody may connect before the file has its mode. */
static int bind_socket(int fd, const struct sockaddr_un *sun, socklen_t size, mode_t mode)
{
	mode_t mask = umask(0777 & ~mode);
	int error = bind(fd, (const void *)sun, size) ? errno : 0;

	if (error == EADDRINUSE && socket_is_stale(sun, size) && !unlink(sun->sun_path))
		error = bind(fd, (const void *)sun, size) ? errno : 0;
	umask(mask);
	return error;
}

static int make(const struct address *a, const char *name)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;
	struct sockaddr_un sun;
	socklen_t size;

	if (fd < 0)
		return -errno;
	error = set_address(&sun, &size, name) ? bind_socket(fd, &sun, size, a->mode) :
		ENAMETOOLONG;
	if (!error && listen(fd, BACKLOG))
		error = errno;
	if (!error)
		return fd;
	close(fd);
	return -error;
}

static void go_on(void *arg)
{
	struct listener *l = arg;

	loop_change(l->peers->loop, &l->source, EPOLLIN);
}

static void pause_listening(struct listener *l)
{
	loop_change(l->peers->loop, &l->source, 0);
	timer_set(l->peers->timers, &l->pause, PAUSE_MS);
}

static void accept_some(void *arg, uint32_t events)
{
	struct listener *l = arg;

	(void)events;
	for (int i = 0; i < ACCEPT_MAX; i++) {
		int fd;

		if (l->port->is_public && !users_may_come(l->peers)) {
			pause_listening(l);
			return;
		}
		fd = accept4(l->source.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && errno == ECONNABORTED)
			continue;
		if (fd < 0) {
			if (errno == EAGAIN || errno == EINTR)
				return;
			if (!l->was_told)
				log_error("cannot accept connections for now: %s", strerror(errno));
			l->was_told = true;
			pause_listening(l);
			return;
		}
		connection_open(l->peers, l->port, fd);
	}
}

int listener_open(struct listener *l, struct connections *peers, const struct port *port,
		  const struct address *a, int inherited)
{
	const char *name = address_name(a);
	int fd = inherited < 0 ? make(a, name) : inherited, error;

	if (fd < 0) {
		log_error("cannot listen at %s: %s", name, strerror(-fd));
		return fd;
	}
	*l = (struct listener) {
		.peers = peers, .port = port, .path = inherited < 0 && *name != '@' ? name : NULL,
		.source = { .fd = fd, .handler = accept_some, .arg = l },
		.pause = { .fire = go_on, .arg = l },
	};
	error = loop_join(peers->loop, &l->source, EPOLLIN);
	if (error) {
		log_error("cannot listen at %s: %s", name, strerror(-error));
		listener_close(l);
	}
	return error;
}

void listener_close(struct listener *l)
{
	timer_stop(l->peers->timers, &l->pause);
	loop_leave(l->peers->loop, &l->source);
	close(l->source.fd);
	if (l->path)
		unlink(l->path);
}
