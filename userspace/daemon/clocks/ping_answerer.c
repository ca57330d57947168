// SPDX-License-Identifier: GPL-2.0
/* ping_answerer.c - answers questions of other recorders */
#include "ping_answerer.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define TEXT_SIZE 256
/* An address that has been silent for so long gives its place to another one. */
#define FORGET_NS (30 * NS_PER_S)

/* Returns a bound socket, or -errno. One for all addresses also takes those of IPv4. */
static int bind_to(const struct addrinfo *found)
{
	const int off = 0;
	int fd = -1, error = -ENOENT;

	for (; found && fd < 0; found = found->ai_next) {
		fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd >= 0 && found->ai_family == AF_INET6)
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
		if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen)) {
			error = -errno;
			if (fd >= 0)
				close(fd);
			fd = -1;
		}
	}
	return fd < 0 ? error : fd;
}

static int resolve(const char *host, const char *port, struct addrinfo **found)
{
	const struct addrinfo hints = {
		.ai_family = *host ? AF_UNSPEC : AF_INET6, .ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV | AI_NUMERICHOST,
	};

	return getaddrinfo(*host ? host : "::", port, &hints, found);
}

int ping_answerer_open(struct ping_answerer *a, const char *name)
{
	char host[TEXT_SIZE], port[TEXT_SIZE];
	struct addrinfo *found;
	int error;

	a->source.fd = -1;
	if (!ping_split(name, true, host, port, TEXT_SIZE))
		return -EINVAL;
	error = resolve(host, port, &found);
	if (error) {
		log_error("--answer-pings %s: %s", name, gai_strerror(error));
		return -ENOENT;
	}
	a->source.fd = bind_to(found);
	freeaddrinfo(found);
	/* A kernel without IPv6 */
	if (a->source.fd == -EAFNOSUPPORT && !*host && !resolve("0.0.0.0", port, &found)) {
		a->source.fd = bind_to(found);
		freeaddrinfo(found);
	}
	if (a->source.fd < 0)
		log_error("--answer-pings %s: %s", name, strerror(-a->source.fd));
	return a->source.fd < 0 ? a->source.fd : 0;
}

/* Returns the entry of an address, perhaps a new one. NULL: there is no room. */
static struct ping_address *find_address(struct ping_answerer *a, const void *addr,
					 socklen_t size, __u64 now)
{
	struct ping_address *free = NULL;

	for (int i = 0; i < PING_ADDRESSES_MAX; i++) {
		struct ping_address *one = &a->addresses[i];

		if (one->size == size && !memcmp(&one->addr, addr, size))
			return one;
		if (!free && (!one->size || now - one->seen_ns > FORGET_NS))
			free = one;
	}
	if (!free)
		return NULL;
	*free = (struct ping_address){ .size = size, .seen_ns = now };
	memcpy(&free->addr, addr, size);
	return free;
}

/* True if one more answer, to this address, is within the limits. */
static bool may_answer(struct ping_answerer *a, struct ping_address *to, __u64 now)
{
	const __u64 second = now / NS_PER_S;

	if (a->second != second) {
		a->second = second;
		a->answers = 0;
	}
	if (to->seen_ns / NS_PER_S != second)
		to->answers = 0;
	to->seen_ns = now;
	if (a->answers >= PING_ANSWERS_A_SECOND || to->answers >= PING_ANSWERS_TO_ONE)
		return false;
	a->answers++;
	to->answers++;
	return true;
}

/*
 * Takes the time at which the asker received the last answer. The token shows that it has: who
 * sends datagrams with the addresses of others does not know it.
 */
static void take_last(struct ping_answerer *a, const struct ping_address *from,
		      const struct ping_packet *question)
{
	char name[PING_ADDRESS_SIZE];
	const struct ping_exchange e = {
		.peer = name, .boot = question->boot, .clock = question->clock,
		.sent = from->answered, .received_there = question->second,
		.sent_there = from->asked_there, .received = from->received,
	};

	if (!question->token)
		return;
	if (question->token != from->token) {
		a->stale++;
		return;
	}
	ping_address((const struct sockaddr *)&from->addr, from->size, name);
	if (memcmp(question->boot, a->self->boot, PING_BOOT_SIZE) && !ping_put(a->self, &e))
		a->impossible++;
}

static void answer(struct ping_answerer *a, struct ping_address *to,
		   const struct ping_packet *question, struct ping_stamp received)
{
	struct ping_packet packet = {
		.kind = PING_ANSWER, .clock = a->self->clock, .nonce = question->nonce,
		.first = received, .token = ping_random(),
	};
	__u8 data[PING_SIZE];

	memcpy(packet.boot, a->self->boot, PING_BOOT_SIZE);
	packet.second = ping_now(a->self);
	ping_packet_write(&packet, data);
	if (sendto(a->source.fd, data, sizeof(data), 0, (struct sockaddr *)&to->addr,
		   to->size) < 0) {
		a->unsent++;
		return;
	}
	a->answered++;
	to->token = packet.token;
	to->asked_there = question->first;
	to->received = received;
	to->answered = packet.second;
}

static void take_question(struct ping_answerer *a, const void *addr, socklen_t size,
			  const struct ping_packet *question, struct ping_stamp received)
{
	const __u64 now = now_ns();
	struct ping_address *from = find_address(a, addr, size, now), last;

	if (!from || !may_answer(a, from, now)) {
		a->refused++;
		return;
	}
	last = *from;
	from->token = 0;
	answer(a, from, question, received);
	take_last(a, &last, question);
}

static void on_datagram(void *arg, uint32_t events)
{
	struct ping_answerer *a = arg;
	struct sockaddr_storage addr;
	struct ping_packet packet;
	struct ping_stamp received;
	__u8 data[PING_SIZE + 1];

	(void)events;
	for (int i = 0; i < PING_BURST; i++) {
		socklen_t size = sizeof(addr);
		ssize_t n = recvfrom(a->source.fd, data, sizeof(data), 0, (struct sockaddr *)&addr,
				     &size);

		received = ping_now(a->self);
		if (n < 0)
			return;
		if (size > sizeof(addr) || !ping_packet_read(&packet, data, (size_t)n) ||
		    packet.kind != PING_QUESTION)
			a->strange++;
		else
			take_question(a, &addr, size, &packet, received);
	}
}

int ping_answerer_begin(struct ping_answerer *a, struct loop *loop)
{
	a->source.handler = on_datagram;
	a->source.arg = a;
	return a->source.fd < 0 ? 0 : loop_join(loop, &a->source, EPOLLIN);
}

void ping_answerer_end(struct ping_answerer *a, struct loop *loop)
{
	if (a->source.handler && a->source.fd >= 0)
		loop_leave(loop, &a->source);
}

void ping_answerer_say(const struct ping_answerer *a)
{
	if (a->strange || a->refused || a->stale || a->impossible || a->unsent)
		log_note("--answer-pings: %llu pings answered; ignored: %llu strange datagrams, "
			 "%llu pings beyond the limits, %llu times of other answers, %llu "
			 "impossible times; %llu answers could not be sent",
			 (unsigned long long)a->answered, (unsigned long long)a->strange,
			 (unsigned long long)a->refused, (unsigned long long)a->stale,
			 (unsigned long long)a->impossible, (unsigned long long)a->unsent);
}

void ping_answerer_close(struct ping_answerer *a)
{
	if (a->source.fd >= 0)
		close(a->source.fd);
	a->source.fd = -1;
}
