// SPDX-License-Identifier: LGPL-2.1
/*
 * packet.c - S.Ha.R.K. events as datagrams, and the names of their files
 */
#include <ktrace/packet.h>

#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/ktrace_shark.h>

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

_Static_assert(sizeof(struct ktrace_shark_packet) == 24, "header of a packet");
_Static_assert(sizeof(struct ktrace_shark_packet) + KTRACE_SHARK_PACKET_EVENTS *
	       sizeof(struct ktrace_shark_event) == KTRACE_PACKET_SIZE, "the longest packet");
_Static_assert(KTRACE_PACKET_SIZE < KTRACE_SHARK_PACKET_MAX, "is short enough");

size_t ktrace_packet_fill(void *packet, __u32 number, const void *events, size_t nr)
{
	struct ktrace_shark_packet header = { .id = KTRACE_SHARK_PACKET_ID };
	size_t size;

	if (nr > KTRACE_SHARK_PACKET_EVENTS)
		nr = KTRACE_SHARK_PACKET_EVENTS;
	size = nr * sizeof(struct ktrace_shark_event);
	header.number = htole32(number);
	header.events = htole32((__u32)nr);
	header.size = htole32((__u32)(sizeof(header) + size));
	memcpy(packet, &header, sizeof(header));
	memcpy((char *)packet + sizeof(header), events, size);
	return sizeof(header) + size;
}

#define HOST_MAX 48

/*
 * Splits an address into host and port. Without brackets, more than one colon means that there is
 * no port. Return: 0, -EINVAL.
 */
static int split(const char *text, char host[HOST_MAX], const char **port)
{
	static const char usual[] = STRING(KTRACE_SHARK_UDP_PORT);
	const char *end = text + strlen(text), *colon = strchr(text, ':');

	*port = usual;
	if (*text == '[') {
		end = strchr(++text, ']');
		colon = end && end[1] ? end + 1 : NULL;
		if (!end || (colon && *colon != ':'))
			return -EINVAL;
	} else if (colon && strchr(colon + 1, ':')) {
		colon = NULL;
	} else if (colon) {
		end = colon;
	}
	if (end - text >= HOST_MAX)
		return -EINVAL;
	memcpy(host, text, (size_t)(end - text));
	host[end - text] = '\0';
	if (colon)
		*port = colon + 1;
	return strlen(*port) > 5 || (*port)[strspn(*port, "0123456789")] ? -EINVAL : 0;
}

/* Looks up an address; without a host, any address of the family. Return: 0, -EINVAL. */
static int find(const char *text, int family, struct addrinfo **found)
{
	const struct addrinfo hints = {
		.ai_family = family, .ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
	};
	char host[HOST_MAX];
	const char *port;

	if (split(text, host, &port) || !*port || atoi(port) > 65535 ||
	    getaddrinfo(*host ? host : NULL, port, &hints, found))
		return -EINVAL;
	return 0;
}

/* True if the socket would send to itself, where nobody receives. */
static bool is_own(int fd)
{
	struct sockaddr_storage from = { 0 }, to = { 0 };
	socklen_t from_size = sizeof(from), to_size = sizeof(to);

	return !getsockname(fd, (struct sockaddr *)&from, &from_size) &&
	       !getpeername(fd, (struct sockaddr *)&to, &to_size) && from_size == to_size &&
	       !memcmp(&from, &to, from_size);
}

/* Opens a socket to send. Senders share a port; -EADDRINUSE if it is, or would be, a receiver's. */
static int open_socket(const struct addrinfo *from, const struct addrinfo *to)
{
	int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), error;
	const int on = 1;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, from->ai_addr, from->ai_addrlen) ||
	    connect(fd, to->ai_addr, to->ai_addrlen))
		error = -errno;
	else
		error = is_own(fd) ? -EADDRINUSE : 0;
	if (!error)
		return fd;
	close(fd);
	return error;
}

int ktrace_packet_socket(const char *local, const char *target)
{
	struct addrinfo *from, *to;
	int fd;

	if (!target || !*target || (*target == ':' && target[1] != ':') ||
	    find(target, AF_UNSPEC, &to))
		return -EINVAL;
	fd = find(local ? local : "", to->ai_family, &from);
	if (!fd) {
		fd = open_socket(from, to);
		freeaddrinfo(from);
	}
	freeaddrinfo(to);
	return fd;
}

int ktrace_packet_listen(const char *local)
{
	struct addrinfo *at;
	int fd, error;

	if (find(local, AF_UNSPEC, &at))
		return -EINVAL;
	fd = socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	error = fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) ? -errno : 0;
	if (error && fd >= 0)
		close(fd);
	freeaddrinfo(at);
	return error ? error : fd;
}

/* Sends a packet. Ignores ECONNREFUSED, which is about an earlier packet that nobody received. */
static int send_packet(int fd, const void *packet, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	while (send(fd, packet, size, MSG_NOSIGNAL) < 0) {
		if (errno == EAGAIN || errno == ENOBUFS)
			poll(&ready, 1, 5);
		else if (errno != EINTR && errno != ECONNREFUSED)
			return -errno;
	}
	return 0;
}

static void pause_ms(long ms)
{
	struct timespec left = { 0, ms * 1000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		continue;
}

int ktrace_packet_send(int fd, __u32 *number, const void *events, size_t nr)
{
	char packet[KTRACE_PACKET_SIZE];
	const char *at = events;
	int error = 0;

	while (nr && !error) {
		const size_t size = ktrace_packet_fill(packet, *number + 1, at, nr);
		const size_t bytes = size - sizeof(struct ktrace_shark_packet);

		error = send_packet(fd, packet, size);
		if (!error)
			++*number;
		at += bytes;
		nr -= bytes / sizeof(struct ktrace_shark_event);
		pause_ms(KTRACE_SHARK_PACKET_PAUSE_MS);
	}
	return error;
}

int ktrace_chunk_file_name(char *name, size_t size, unsigned int chunk, const char *base)
{
	const char *slash = strrchr(base, '/');
	const char *last = slash ? slash + 1 : base;
	int n;

	if (!*last)
		return -EINVAL;
	n = snprintf(name, size, "%.*s%u%s", (int)(last - base), base, chunk, last);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}
