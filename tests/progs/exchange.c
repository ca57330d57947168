// SPDX-License-Identifier: GPL-2.0
/*
 * exchange.c - a client that asks servers by TCP, for tests of clocks of several hosts
 *
 *   exchange server PORT        serves one client, until it closes the connection
 *   exchange client ADDRESS:PORT... REQUESTS BYTES PAUSE_US
 *                               asks the servers in turn. Requests have up to BYTES / 8 bytes,
 *                               answers up to BYTES; a pause of up to PAUSE_US follows
 *   exchange offload DEVICE tso|gso|gro on|off
 *
 * Events app:request, app:work, app:answer have the number of the request. Addresses are of IPv4 or
 * [IPv6].
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/ktrace.h>

KTRACE_EVENT(app, request, ktrace_u64(id), ktrace_u32(server));
KTRACE_EVENT(app, work, ktrace_u64(id), ktrace_u32(server));
KTRACE_EVENT(app, answer, ktrace_u64(id), ktrace_u32(server));

#define BYTES_MAX (1u << 22)
#define SERVERS_MAX 16
#define TRIES 100

/* struct head - begins a request, and its answer; @bytes: of the request, all in all */
struct head {
	uint64_t id;
	uint32_t server;
	uint32_t bytes;
	uint32_t answer_bytes;
	uint32_t zero;
};

static char buffer[BYTES_MAX];

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "exchange: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Returns false at the end of the stream. */
static int get(int fd, void *to, size_t size)
{
	ssize_t n;

	for (size_t done = 0; done < size; done += (size_t)n) {
		n = read(fd, (char *)to + done, size - done);
		if (n < 0)
			die("read");
		if (!n)
			return 0;
	}
	return 1;
}

static void put(int fd, const void *from, size_t size)
{
	ssize_t n;

	for (size_t done = 0; done < size; done += (size_t)n) {
		n = write(fd, (const char *)from + done, size - done);
		if (n <= 0)
			die("write");
	}
}

static void set_no_delay(int fd)
{
	const int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static int serve(const char *port)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
					.sin6_port = htons((uint16_t)atoi(port)) };
	const int fd = socket(AF_INET6, SOCK_STREAM, 0), one = 1;
	struct head head;
	int client;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
		die("listen");
	client = accept(fd, NULL, NULL);
	if (client < 0)
		die("accept");
	set_no_delay(client);
	while (get(client, &head, sizeof(head))) {
		if (head.bytes > BYTES_MAX || head.answer_bytes > BYTES_MAX)
			die("request");
		if (!get(client, buffer, head.bytes - sizeof(head)))
			break;
		ktrace(app, work, head.id, head.server);
		memcpy(buffer, &head, sizeof(head));
		put(client, buffer, head.answer_bytes);
	}
	return 0;
}

/* The server may not listen yet. */
static int connect_to(char *where)
{
	char *port = strrchr(where, ':'), *host = where;
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *info;
	int fd, i;

	if (!port)
		die(where);
	*port++ = '\0';
	if (*host == '[') {
		host++;
		port[-2] = '\0';
	}
	if (getaddrinfo(host, port, &hints, &info))
		die(where);
	for (i = 0; i < TRIES; i++) {
		fd = socket(info->ai_family, SOCK_STREAM, 0);
		if (!connect(fd, info->ai_addr, info->ai_addrlen)) {
			freeaddrinfo(info);
			set_no_delay(fd);
			return fd;
		}
		close(fd);
		usleep(100000);
	}
	die(where);
}

static void ask(int fd, uint32_t server, uint64_t id, uint32_t bytes)
{
	struct head head = {
		.id = id, .server = server,
		.bytes = (uint32_t)(sizeof(head) + (uint32_t)rand() % (bytes / 8)),
		.answer_bytes = (uint32_t)(sizeof(head) + (uint32_t)rand() % bytes),
	};

	ktrace(app, request, id, server);
	memcpy(buffer, &head, sizeof(head));
	put(fd, buffer, head.bytes);
	if (!get(fd, buffer, head.answer_bytes))
		die("the server has gone");
	ktrace(app, answer, id, server);
}

static int run_client(int argc, char **argv)
{
	const uint32_t bytes = (uint32_t)strtoul(argv[argc - 2], NULL, 10);
	const uint64_t requests = strtoull(argv[argc - 3], NULL, 10);
	const unsigned long pause_us = strtoul(argv[argc - 1], NULL, 10);
	int fds[SERVERS_MAX], nr = argc - 3;

	if (nr < 1 || nr > SERVERS_MAX || bytes < 8 || bytes >= BYTES_MAX / 2)
		die("usage");
	for (int i = 0; i < nr; i++)
		fds[i] = connect_to(argv[i]);
	for (uint64_t id = 1; id <= requests; id++) {
		ask(fds[id % (uint64_t)nr], (uint32_t)(id % (uint64_t)nr) + 1, id, bytes);
		if (pause_us)
			usleep((useconds_t)((unsigned long)rand() % pause_us));
	}
	return 0;
}

static int set_offload(char **argv)
{
	static const struct {
		const char *name;
		uint32_t command;
	} table[] = {
		{ "tso", ETHTOOL_STSO }, { "gso", ETHTOOL_SGSO }, { "gro", ETHTOOL_SGRO },
	};
	struct ethtool_value value = { .data = !strcmp(argv[2], "on") };
	struct ifreq request = { .ifr_data = (void *)&value };
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", argv[0]);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, argv[1]))
			value.cmd = table[i].command;
	if (!value.cmd || ioctl(fd, SIOCETHTOOL, &request))
		die("ethtool");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "server"))
		return serve(argv[2]);
	if (argc >= 6 && !strcmp(argv[1], "client"))
		return run_client(argc - 2, argv + 2);
	if (argc == 5 && !strcmp(argv[1], "offload"))
		return set_offload(argv + 2);
	fprintf(stderr, "exchange: see the head of exchange.c\n");
	return 2;
}
