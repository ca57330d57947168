// SPDX-License-Identifier: LGPL-2.1
/*
 * port.c - one message to a live session, one answer
 *
 * Datagrams: a message arrives as a whole or not at all, so nobody can make the owner wait
 * for the rest of it. There are no connections, and so no state to keep for a peer. The
 * kernel says with each message which user and process sent it.
 */
#include <ktrace/port.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/percent.h"

#define NAME "ktraced/"
#define WAIT_MS 10000

/* The socket's address: a zero byte, then the name. */
static socklen_t address(const struct ktrace_port *port, struct sockaddr_un *addr)
{
	int n;

	*addr = (struct sockaddr_un) { .sun_family = AF_UNIX };
	n = snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1, NAME "%u/%u/%llx",
		     port->uid, port->pid, (unsigned long long)port->id);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* A socket with credentials on what it receives. */
static int open_socket(const struct sockaddr_un *addr, socklen_t size)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, error;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)addr, size)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

int ktrace_port_open(__u64 id)
{
	const struct ktrace_port port = { geteuid(), (__u32)getpid(), id };
	struct sockaddr_un addr;
	socklen_t size = address(&port, &addr);

	return open_socket(&addr, size);
}

/* One datagram and the user it is from. Return: its bytes, -errno, -EMSGSIZE if cut off. */
static ssize_t receive(int fd, char *text, size_t size, struct sockaddr_un *addr,
		       socklen_t *addr_size, __u32 *uid)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = { text, size - 1 };
	struct msghdr msg = {
		.msg_name = addr, .msg_namelen = addr ? sizeof(*addr) : 0,
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *header = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	struct ucred cred;

	if (n < 0)
		return -errno;
	if (msg.msg_flags & MSG_TRUNC || memchr(text, '\0', (size_t)n) || !header ||
	    header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS)
		return -EMSGSIZE;
	memcpy(&cred, CMSG_DATA(header), sizeof(cred));
	*uid = cred.uid;
	if (addr_size)
		*addr_size = msg.msg_namelen;
	text[n] = '\0';
	return n;
}

bool ktrace_port_receive(int fd, char *message, struct ktrace_port_sender *from)
{
	for (int i = 0; i < 16; i++) {
		ssize_t n = receive(fd, message, KTRACE_PORT_MESSAGE, &from->addr,
				    &from->addr_size, &from->uid);

		if (n == -EMSGSIZE ||
		    (n >= 0 && from->addr_size <= offsetof(struct sockaddr_un, sun_path)))
			continue;
		from->may = n >= 0 && (from->uid == geteuid() || !from->uid);
		return n >= 0;
	}
	return false;
}

void ktrace_port_answer(int fd, const struct ktrace_port_sender *to, const char *text)
{
	sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
	       (const struct sockaddr *)&to->addr, to->addr_size);
}

size_t ktrace_port_list(struct ktrace_port *list, size_t max)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char *line = NULL;
	size_t cap = 0, nr = 0;

	while (f && getline(&line, &cap, f) > 0) {
		const char *name = strstr(line, " @" NAME);
		unsigned long long id;
		struct ktrace_port port;
		char end;

		if (!name || sscanf(name, " @" NAME "%u/%u/%llx%c", &port.uid, &port.pid, &id,
				    &end) != 4 || end != '\n')
			continue;
		port.id = id;
		if (nr < max)
			list[nr] = port;
		nr++;
	}
	free(line);
	if (f)
		fclose(f);
	return nr;
}

/* Sends, and waits while the other's queue is full. */
static int send_message(int fd, const char *text)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	while (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (poll(&ready, 1, WAIT_MS) == 0)
			return -ETIMEDOUT;
	}
	return 0;
}

static int receive_answer(int fd, const struct ktrace_port *port, char *answer)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	__u32 uid = 0;
	ssize_t n;

	for (;;) {
		int nr = poll(&ready, 1, WAIT_MS);

		if (!nr)
			return -ETIMEDOUT;
		n = nr < 0 ? -errno : receive(fd, answer, KTRACE_PORT_ANSWER, NULL, NULL, &uid);
		if (n != -EINTR && n != -EAGAIN)
			break;
	}
	if (n < 0)
		return (int)n;
	return uid == port->uid ? 0 : -EACCES;
}

int ktrace_port_ask(const struct ktrace_port *port, const char *text, char *answer)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = open_socket(&addr, sizeof(addr.sun_family)), error;	/* any free name */

	if (fd < 0)
		return fd;
	error = connect(fd, (const struct sockaddr *)&addr, address(port, &addr)) ? -errno : 0;
	if (!error)
		error = send_message(fd, text);
	if (!error)
		error = receive_answer(fd, port, answer);
	close(fd);
	return error;
}

char *ktrace_port_value(const char *text, const char *key)
{
	const size_t n = strlen(key);
	char *value;

	do {
		text = strchr(text, ' ');
		if (!text)
			return NULL;
		text++;
	} while (strncmp(text, key, n) || text[n] != '=');
	value = strndup(text + n + 1, strcspn(text + n + 1, " \n"));
	if (!value || percent_decode(value))
		return value;
	free(value);
	return NULL;
}
