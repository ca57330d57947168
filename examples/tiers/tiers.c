// SPDX-License-Identifier: MIT
/*
 * tiers.c - requests through three programs, each on a host of its own, for make demo-fleet
 *
 *   tiers client HOST PORT NUMBER    asks the front for so many prices, one after the other
 *   tiers front PORT HOST PORT2      asks the back for each price, at PORT2 of HOST
 *   tiers back PORT                  looks prices up, each 60th slowly
 *
 * front and back serve until a signal ends them. A request is a UDP packet, as is its answer; both
 * have the request's id. So do the events of all three, by which it is followed from host to host.
 */
#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(tiers, ask_begin, ktrace_u32(id));
KTRACE_EVENT(tiers, ask_end, ktrace_u32(id), ktrace_u32(price));
KTRACE_EVENT(tiers, serve_begin, ktrace_u32(id));
KTRACE_EVENT(tiers, serve_end, ktrace_u32(id));
KTRACE_EVENT(tiers, look_up_begin, ktrace_u32(id));
KTRACE_EVENT(tiers, look_up_end, ktrace_u32(id), ktrace_u32(price));

#define SLOW_REQUEST 60
#define SLOW_US 60000
#define FAST_US 2000
/* What is done before and after a question to another host */
#define STEP_US 1000
#define PAUSE_US 20000
#define PATIENCE_S 10

/* struct packet - a request, and its answer */
struct packet {
	uint32_t id;
	uint32_t price;
};

static __attribute__((noreturn)) void die(const char *what, const char *why)
{
	fprintf(stderr, "tiers: %s: %s\n", what, why);
	exit(1);
}

/* A socket that receives at @port, if @host is NULL, or one that is connected to @port of @host. */
static int open_socket(const char *host, const char *port)
{
	const struct addrinfo hints = {
		.ai_flags = host ? 0 : AI_PASSIVE,
		.ai_family = AF_INET,
		.ai_socktype = SOCK_DGRAM,
	};
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	struct addrinfo *found;
	int fd, error;

	error = getaddrinfo(host, port, &hints, &found);
	if (error)
		die(host ? host : port, gai_strerror(error));
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || (host ? connect : bind)(fd, found->ai_addr, found->ai_addrlen))
		die(port, strerror(errno));
	if (host)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	freeaddrinfo(found);
	return fd;
}

/* Asks at a connected socket; returns the price. */
static uint32_t ask(int fd, uint32_t id)
{
	struct packet p = { .id = id };

	if (send(fd, &p, sizeof(p), 0) != sizeof(p) || recv(fd, &p, sizeof(p), 0) != sizeof(p))
		die("no answer", strerror(errno));
	if (p.id != id)
		die("no answer", "one to another question came");
	return p.price;
}

static uint32_t look_up(uint32_t id)
{
	const uint32_t price = 100 + id % 7;

	ktrace(tiers, look_up_begin, id);
	usleep(id % SLOW_REQUEST ? FAST_US : SLOW_US);
	ktrace(tiers, look_up_end, id, price);
	return price;
}

static uint32_t pass_on(int back, uint32_t id)
{
	uint32_t price;

	ktrace(tiers, serve_begin, id);
	usleep(STEP_US);
	price = ask(back, id);
	usleep(STEP_US);
	ktrace(tiers, serve_end, id);
	return price;
}

/* Answers requests at @port; without @back, from what it knows. */
static __attribute__((noreturn)) void serve(const char *port, const int *back)
{
	const int fd = open_socket(NULL, port);

	for (;;) {
		struct sockaddr_storage from;
		socklen_t len = sizeof(from);
		struct packet p;

		if (recvfrom(fd, &p, sizeof(p), 0, (struct sockaddr *)&from, &len) != sizeof(p))
			continue;
		p.price = back ? pass_on(*back, p.id) : look_up(p.id);
		sendto(fd, &p, sizeof(p), 0, (struct sockaddr *)&from, len);
	}
}

static void be_client(int front, uint32_t nr)
{
	for (uint32_t id = 1; id <= nr; id++) {
		uint32_t price;

		ktrace(tiers, ask_begin, id);
		usleep(STEP_US);
		price = ask(front, id);
		usleep(STEP_US);
		ktrace(tiers, ask_end, id, price);
		usleep(PAUSE_US);
	}
	printf("%u answers\n", nr);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "client")) {
		be_client(open_socket(argv[2], argv[3]), (uint32_t)strtoul(argv[4], NULL, 10));
	} else if (argc == 5 && !strcmp(argv[1], "front")) {
		const int back = open_socket(argv[3], argv[4]);

		serve(argv[2], &back);
	} else if (argc == 3 && !strcmp(argv[1], "back")) {
		serve(argv[2], NULL);
	} else {
		fputs("usage: tiers client HOST PORT NUMBER | front PORT HOST PORT2 | back PORT\n",
		      stderr);
		return 2;
	}
	return 0;
}
