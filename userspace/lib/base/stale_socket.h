/* SPDX-License-Identifier: LGPL-2.1 */
/* stale_socket.h - a socket's file that a process has left behind that was killed */
#ifndef KTRACE_BASE_STALE_SOCKET_H
#define KTRACE_BASE_STALE_SOCKET_H

#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* True if the address is a socket's file, and nobody listens there: it may be removed. */
static inline bool socket_is_stale(const struct sockaddr_un *sun, socklen_t size)
{
	struct stat st;
	int fd;
	bool is_refused;

	if (!sun->sun_path[0] || lstat(sun->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	is_refused = connect(fd, (const struct sockaddr *)sun, size) && errno == ECONNREFUSED;
	close(fd);
	return is_refused;
}

#endif
