// SPDX-License-Identifier: LGPL-2.1
/*
 * port.c - one message to a live session, one answer
 *
 * Uses datagrams: a message arrives whole or not at all, so no sender can make the owner wait for
 * the rest of it. There are no connections, so no state to keep for a peer. With each message the
 * kernel tells which user and process sent it.
 */
#include <ktrace/port.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/percent.h"

#define NAME "ktraced/"
#define WAIT_MS 10000
/*
 * Minimum of ports asked at once, however few descriptors there are; extra room in a list that has
 * grown
 */
#define ROUND_MIN 128u

/* Makes the socket's address: a zero byte, then the name. Returns its size. */
static socklen_t address(const struct ktrace_port *port, struct sockaddr_un *addr)
{
	int n;

	*addr = (struct sockaddr_un) { .sun_family = AF_UNIX };
	n = snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1, NAME "%u/%u/%llx",
		     port->uid, port->pid, (unsigned long long)port->id);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Opens a socket that receives credentials with each message. */
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
	return ktrace_port_open_for(geteuid(), id);
}

int ktrace_port_open_for(__u32 uid, __u64 id)
{
	const struct ktrace_port port = { uid, (__u32)getpid(), id };
	struct sockaddr_un addr;
	socklen_t size = address(&port, &addr);

	return open_socket(&addr, size);
}

/*
 * Receives one datagram and the user who sent it. Returns its bytes, -errno, or -EMSGSIZE if it was
 * cut off or is invalid.
 */
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

struct ktrace_port *ktrace_port_list_all(size_t *nr)
{
	struct ktrace_port *list = NULL;
	size_t room = 0;

	while ((*nr = ktrace_port_list(list, room)) > room || !list) {
		room = *nr + ROUND_MIN;
		if (!LIST_RESIZE(list, room)) {
			free(list);
			return NULL;
		}
	}
	return list;
}

/* A question to one port. @ready's events are what it waits for; 0: it is over, with @error. */
struct question {
	const struct ktrace_port *port;
	char **answer;
	int *error;
	struct pollfd *ready;
};

static void end(struct question *q, int error)
{
	*q->error = error;
	q->ready->events = 0;
	if (q->ready->fd >= 0)
		close(q->ready->fd);
	q->ready->fd = -1;
}

static void send_message(struct question *q, const char *text)
{
	if (send(q->ready->fd, text, strlen(text), MSG_NOSIGNAL) >= 0)
		q->ready->events = POLLIN;
	else if (errno == EAGAIN || errno == EINTR)
		q->ready->events = POLLOUT;	/* the receiver's queue is full */
	else
		end(q, -errno);
}

static void begin(struct question *q, const char *text)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	q->ready->fd = open_socket(&addr, sizeof(addr.sun_family));	/* any free name */
	if (q->ready->fd < 0)
		end(q, q->ready->fd);
	else if (connect(q->ready->fd, (const struct sockaddr *)&addr, address(q->port, &addr)))
		end(q, -errno);
	else
		send_message(q, text);
}

static void receive_answer(struct question *q)
{
	char *answer = malloc(KTRACE_PORT_ANSWER);
	__u32 uid = 0;
	ssize_t n = answer ? receive(q->ready->fd, answer, KTRACE_PORT_ANSWER, NULL, NULL, &uid) :
		    -ENOMEM;

	if (n >= 0 && (uid == q->port->uid || !uid)) {
		*q->answer = answer;
		end(q, 0);
		return;
	}
	free(answer);
	if (n != -EINTR && n != -EAGAIN)
		end(q, n < 0 ? (int)n : -EACCES);
}

static void go_on(struct question *q, const char *text)
{
	if (!q->ready->revents)
		return;
	if (q->ready->events == POLLOUT)
		send_message(q, text);
	else
		receive_answer(q);
}

/* Asks all of a round and waits for the answers, until @end_ms. */
static void ask_round(struct question *list, struct pollfd *ready, size_t nr, const char *text,
		      __u64 end_ms)
{
	size_t i, left;

	for (i = 0; i < nr; i++)
		begin(&list[i], text);
	for (;;) {
		const __u64 now = (__u64)now_ms();

		for (i = left = 0; i < nr; i++)
			left += ready[i].fd >= 0;
		if (!left || now >= end_ms)
			break;
		if (poll(ready, nr, (int)(end_ms - now)) < 0)
			continue;
		for (i = 0; i < nr; i++)
			go_on(&list[i], text);
	}
	for (i = 0; i < nr; i++)
		if (ready[i].fd >= 0)
			end(&list[i], -ETIMEDOUT);
}

/* Returns all @nr, or as many as half of the descriptors allow */
static size_t round_size(size_t nr)
{
	struct rlimit limit;
	size_t most = ROUND_MIN;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 2 > most)
		most = limit.rlim_cur / 2;
	return nr < most ? nr : most;
}

/* Asks in as few rounds as possible: each has its share of the time that is left. */
void ktrace_port_ask_all(const struct ktrace_port *ports, size_t nr, const char *text,
			 char **answers, int *errors)
{
	const __u64 end_ms = (__u64)now_ms() + WAIT_MS;
	const size_t size = round_size(nr);
	struct question *list = calloc(size, sizeof(*list));
	struct pollfd *ready = calloc(size, sizeof(*ready));

	for (size_t i = 0; i < nr; i++) {
		answers[i] = NULL;
		errors[i] = -ENOMEM;
	}
	for (size_t done = 0, i; list && ready && done < nr; done += i) {
		const __u64 rounds = (nr - done + size - 1) / size, now = (__u64)now_ms();

		for (i = 0; i < size && done + i < nr; i++)
			list[i] = (struct question) {
				&ports[done + i], &answers[done + i], &errors[done + i], &ready[i],
			};
		ask_round(list, ready, i, text,
			  now + (now < end_ms ? (end_ms - now) / rounds : 0));
	}
	free(list);
	free(ready);
}

int ktrace_port_ask(const struct ktrace_port *port, const char *text, char *answer)
{
	char *found;
	int error;

	ktrace_port_ask_all(port, 1, text, &found, &error);
	if (!error)
		memcpy(answer, found, strlen(found) + 1);
	free(found);
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
