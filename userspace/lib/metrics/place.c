// SPDX-License-Identifier: LGPL-2.1
/* place.c - where metrics are served: a socket's file, or the loopback */
#include "place.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/stale_socket.h"

#define UNIX "unix:"
#define FILE_MODE 0600
/* Connections that wait to be accepted */
#define BACKLOG 128
#define PORT_MAX 65535u

/* An address of the loopback, as it is written before the port */
struct host {
	const char *name;
	int family;
};

static const struct host hosts[] = {
	{ "127.0.0.1:", AF_INET },
	{ "localhost:", AF_INET },
	{ "[::1]:", AF_INET6 },
};

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

/* Parses HOST:PORT; returns the host, NULL: it is none of ours. */
static const struct host *find_host(const char *text, __u64 *port)
{
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		const size_t n = strlen(hosts[i].name);

		if (!strncmp(text, hosts[i].name, n) && text[n] &&
		    decimal_count(text + n, port) && *port <= PORT_MAX)
			return &hosts[i];
	}
	return NULL;
}

static const char *path_of(const char *text)
{
	return strncmp(text, UNIX, strlen(UNIX)) ? NULL : text + strlen(UNIX);
}

const char *metrics_place_wrong(const char *text)
{
	const struct sockaddr_un *sun = NULL;
	const char *path = path_of(text);
	__u64 port;

	if (path && !*path)
		return "the path after unix: is missing";
	if (path && strlen(path) >= sizeof(sun->sun_path))
		return "the path after unix: is too long for a socket";
	return path || find_host(text, &port) ? NULL :
	       "needs unix:PATH, 127.0.0.1:PORT, localhost:PORT or [::1]:PORT; other addresses are "
	       "refused, because the text is not encrypted and every host could read it";
}

static socklen_t set_address(union address *a, const char *text)
{
	const char *path = path_of(text);
	const struct host *host;
	__u64 port = 0;

	memset(a, 0, sizeof(*a));
	if (path) {
		a->local.sun_family = AF_UNIX;
		memcpy(a->local.sun_path, path, strlen(path));
		return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
	}
	host = find_host(text, &port);
	if (host->family == AF_INET) {
		a->v4 = (struct sockaddr_in){
			.sin_family = AF_INET, .sin_port = htons((in_port_t)port),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		};
		return sizeof(a->v4);
	}
	a->v6 = (struct sockaddr_in6){
		.sin6_family = AF_INET6, .sin6_port = htons((in_port_t)port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	return sizeof(a->v6);
}

static int bind_file(int fd, const union address *a, socklen_t size)
{
	struct stat st;

	/* The file gets the mode that the socket has when it is bound. */
	if (fchmod(fd, FILE_MODE))
		return -errno;
	if (!bind(fd, &a->any, size))
		return 0;
	if (errno != EADDRINUSE)
		return -errno;
	if (socket_is_stale(&a->local, size) && !unlink(a->local.sun_path))
		return bind(fd, &a->any, size) ? -errno : 0;
	return lstat(a->local.sun_path, &st) || S_ISSOCK(st.st_mode) ? -EADDRINUSE : -EEXIST;
}

static int bind_port(int fd, const union address *a, socklen_t size)
{
	const int on = 1;

	/* A port of a moment ago: connections that were closed keep it for a minute. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) || bind(fd, &a->any, size))
		return -errno;
	return 0;
}

static int remember(struct metrics_place *p, const char *text)
{
	union address a;
	socklen_t size = sizeof(a);

	if (p->is_unix) {
		snprintf(p->path, sizeof(p->path), "%s", path_of(text));
		snprintf(p->url, sizeof(p->url), "%s", text);
		return lstat(p->path, &p->file) ? -errno : 0;
	}
	if (getsockname(p->fd, &a.any, &size))
		return -errno;
	if (a.any.sa_family == AF_INET)
		snprintf(p->url, sizeof(p->url), "http://127.0.0.1:%u/metrics",
			 ntohs(a.v4.sin_port));
	else
		snprintf(p->url, sizeof(p->url), "http://[::1]:%u/metrics", ntohs(a.v6.sin6_port));
	return 0;
}

int metrics_place_open(struct metrics_place *p, const char *text)
{
	union address a;
	const socklen_t size = set_address(&a, text);
	int ret;

	*p = (struct metrics_place){ .is_unix = a.any.sa_family == AF_UNIX };
	p->fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->fd < 0)
		return -errno;
	ret = p->is_unix ? bind_file(p->fd, &a, size) : bind_port(p->fd, &a, size);
	if (!ret && listen(p->fd, BACKLOG))
		ret = -errno;
	if (!ret)
		ret = remember(p, text);
	if (ret) {
		close(p->fd);
		p->fd = -1;
	}
	return ret;
}

const char *metrics_place_error(int error)
{
	if (error == -EADDRINUSE)
		return "another process listens there";
	return error == -EEXIST ? "a file that is no socket is there, and is not replaced" :
	       strerror(-error);
}

void metrics_place_close(struct metrics_place *p)
{
	struct stat st;

	if (p->fd < 0)
		return;
	if (p->is_unix && !lstat(p->path, &st) && st.st_dev == p->file.st_dev &&
	    st.st_ino == p->file.st_ino)
		unlink(p->path);
	close(p->fd);
	p->fd = -1;
}
