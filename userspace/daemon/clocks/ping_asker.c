// SPDX-License-Identifier: GPL-2.0
/* ping_asker.c - sends questions to other recorders */
#include "ping_asker.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"

#define TEXT_SIZE 256

/* Returns a connected socket, or -errno. Others may be here before or after the answerer is. */
static int connect_to(const struct addrinfo *found)
{
	int fd = -1, error = -ENOENT;

	for (; found && fd < 0; found = found->ai_next) {
		fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen)) {
			error = -errno;
			if (fd >= 0)
				close(fd);
			fd = -1;
		}
	}
	return fd < 0 ? error : fd;
}

int ping_asker_add(struct ping_asker *a, const char *name)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV };
	char host[TEXT_SIZE], port[TEXT_SIZE];
	struct addrinfo *found;
	int error, fd;

	if (!ping_split(name, false, host, port, TEXT_SIZE))
		return -EINVAL;
	error = getaddrinfo(host, port, &hints, &found);
	if (error) {
		log_error("--ping %s: %s", name, gai_strerror(error));
		return -ENOENT;
	}
	fd = connect_to(found);
	freeaddrinfo(found);
	if (fd < 0) {
		log_error("--ping %s: %s", name, strerror(-fd));
		return fd;
	}
	a->peers[a->nr++] = (struct ping_peer){ .asker = a, .name = name, .source.fd = fd };
	return 0;
}

/* Returns the open question of this nonce, NULL = none. */
static struct ping_open *find_open(struct ping_peer *p, __u64 nonce)
{
	for (int i = 0; nonce && i < PING_OPEN_MAX; i++)
		if (p->open[i].nonce == nonce)
			return &p->open[i];
	return NULL;
}

static void take_answer(struct ping_peer *p, const struct ping_packet *answer,
			struct ping_stamp now)
{
	const struct ping_self *self = p->asker->self;
	struct ping_open *open = find_open(p, answer->nonce);
	struct ping_exchange e;

	if (answer->kind != PING_ANSWER || !open) {
		p->strange++;
		return;
	}
	e = (struct ping_exchange){
		.peer = p->name, .boot = answer->boot, .clock = answer->clock,
		.sent = open->sent, .received_there = answer->first,
		.sent_there = answer->second, .received = now,
	};
	*open = (struct ping_open){ 0 };
	p->answered++;
	if (!memcmp(answer->boot, self->boot, PING_BOOT_SIZE)) {
		p->is_self = true;
		return;
	}
	if (!ping_put(self, &e)) {
		p->impossible++;
		return;
	}
	p->token = answer->token;
	p->received = now;
}

static void on_datagram(void *arg, uint32_t events)
{
	struct ping_peer *p = arg;
	__u8 data[PING_SIZE + 1];
	struct ping_packet packet;
	struct ping_stamp now;
	ssize_t n;

	(void)events;
	for (int i = 0; i < PING_BURST; i++) {
		n = recv(p->source.fd, data, sizeof(data), 0);
		now = ping_now(p->asker->self);
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n < 0)
			p->error = errno;	/* such as ECONNREFUSED: nobody answers yet */
		else if (!ping_packet_read(&packet, data, (size_t)n))
			p->strange++;
		else
			take_answer(p, &packet, now);
	}
}

static void ask(struct ping_peer *p)
{
	const struct ping_self *self = p->asker->self;
	struct ping_open *open = &p->open[p->asked++ % PING_OPEN_MAX];
	struct ping_packet question = {
		.kind = PING_QUESTION, .clock = self->clock, .nonce = ping_random(),
		.second = p->received, .token = p->token,
	};
	__u8 data[PING_SIZE];

	memcpy(question.boot, self->boot, PING_BOOT_SIZE);
	open->nonce = question.nonce;
	open->sent = question.first = ping_now(self);
	ping_packet_write(&question, data);
	if (send(p->source.fd, data, sizeof(data), 0) < 0)
		p->error = errno;
	p->token = 0;
	p->received = (struct ping_stamp){ 0 };
}

static void ask_all(void *arg)
{
	struct ping_asker *a = arg;

	for (unsigned int i = 0; i < a->nr; i++)
		ask(&a->peers[i]);
	timer_set(a->timers, &a->tick, a->interval_ms);
}

int ping_asker_begin(struct ping_asker *a, struct loop *loop, struct timers *timers)
{
	a->timers = timers;
	a->tick.fire = ask_all;
	a->tick.arg = a;
	for (unsigned int i = 0; i < a->nr; i++) {
		struct ping_peer *p = &a->peers[i];
		int error;

		p->source.handler = on_datagram;
		p->source.arg = p;
		error = loop_join(loop, &p->source, EPOLLIN);
		if (error)
			return error;
	}
	if (a->nr)
		ask_all(a);
	return 0;
}

void ping_asker_end(struct ping_asker *a, struct loop *loop)
{
	if (!a->timers)
		return;
	timer_stop(a->timers, &a->tick);
	for (unsigned int i = 0; i < a->nr; i++)
		loop_leave(loop, &a->peers[i].source);
}

void ping_asker_say(const struct ping_asker *a)
{
	for (unsigned int i = 0; i < a->nr; i++) {
		const struct ping_peer *p = &a->peers[i];

		if (p->is_self)
			log_note("--ping %s: this is the same host, its answers are not recorded",
				 p->name);
		if (p->answered < p->asked || p->strange || p->impossible)
			log_note("--ping %s: %llu of %llu pings answered; %llu datagrams ignored, "
				 "%llu answers with impossible times%s%s", p->name,
				 (unsigned long long)p->answered, (unsigned long long)p->asked,
				 (unsigned long long)p->strange,
				 (unsigned long long)p->impossible,
				 p->error ? "; last error: " : "",
				 p->error ? strerror(p->error) : "");
	}
}

void ping_asker_close(struct ping_asker *a)
{
	for (unsigned int i = 0; i < a->nr; i++)
		close(a->peers[i].source.fd);
	a->nr = 0;
}
