// SPDX-License-Identifier: LGPL-2.1
/*
 * server.c - gives a text of metrics to clients
 *
 * A connection is good for one answer:
 *
 *   READING --header complete, or wrong--> ANSWERING --sent--> LEAVING --client closes--> closed
 *
 * and is closed CONNECTION_MS after it began, wherever it is by then. If there are CONNECTIONS of
 * them, a new one takes the place of the oldest: clients that keep silent cannot keep others out,
 * because one that sends its request at once is answered at once.
 *
 * The thread has the lowest priority, so that clients cannot take the CPU from the program.
 */
#include "server.h"

#include <errno.h>
#include <linux/types.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "place.h"
#include "request.h"
#include "text.h"

#define CONNECTIONS 32
#define CONNECTION_MS 5000
/* Accepted before those that are there have their turn */
#define ACCEPT_MAX 32
/* Pause in accepting without descriptors or memory */
#define PAUSE_MS 100
#define NICE 19
#define STOP 0
#define LISTENER 1
#define FIRST 2

enum state { CLOSED, READING, ANSWERING, LEAVING };

/**
 * struct connection - a client
 * @state:	see above
 * @fd:		its socket
 * @end_ms:	when it is closed
 * @in:		the request, as far as it has come
 * @in_size:	bytes of it
 * @out:	the answer, in memory of its own: the text may be replaced while a slow client reads
 * @out_size:	bytes of it
 * @out_pos:	bytes that were sent
 * @result:	the number that counts this answer once it was sent
 */
struct connection {
	enum state state;
	int fd;
	__s64 end_ms;
	char in[METRICS_REQUEST_MAX];
	size_t in_size;
	char *out;
	size_t out_size;
	size_t out_pos;
	__u64 *result;
};

/**
 * struct clients - what clients got so far
 * @given:	metrics
 * @refused:	an error: they asked for something else
 * @dropped:	nothing, or not all: they were too slow, or too many
 */
struct clients {
	__u64 given;
	__u64 refused;
	__u64 dropped;
};

/**
 * struct metrics_server - the thread's and the program's
 * @place:	where it listens
 * @stop_fd:	becomes readable at the end
 * @thread:	the thread
 * @is_running:	it was started
 * @lock:	for the members below; the program only tries to take it
 * @text:	the metrics, NULL = none yet
 * @size:	bytes of @text
 * @clients:	what clients got
 * @told:	the program's: the same, as of its last look
 * @paused_ms:	the thread's: accepts nobody until then
 * @list:	the thread's: connections
 */
struct metrics_server {
	struct metrics_place place;
	int stop_fd;
	pthread_t thread;
	bool is_running;
	pthread_mutex_t lock;
	char *text;
	size_t size;
	struct clients clients;
	struct clients told;
	__s64 paused_ms;
	struct connection list[CONNECTIONS];
};

static void count(struct metrics_server *s, __u64 *number)
{
	pthread_mutex_lock(&s->lock);
	++*number;
	pthread_mutex_unlock(&s->lock);
}

static void leave(struct connection *c)
{
	close(c->fd);
	free(c->out);
	c->out = NULL;
	c->state = CLOSED;
}

/* Closes a connection before its client has the answer. */
static void drop(struct metrics_server *s, struct connection *c)
{
	if (c->state != LEAVING)
		count(s, &s->clients.dropped);
	leave(c);
}

/* Writes header and text into memory of the connection. Returns false without memory. */
static bool fill(struct connection *c, int status, bool is_head, const char *text, size_t size)
{
	FILE *to = open_memstream(&c->out, &c->out_size);

	if (!to)
		return false;
	fprintf(to, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		"Connection: close\r\nCache-Control: no-store\r\n"
		"X-Content-Type-Options: nosniff\r\n%s\r\n", status,
		metrics_request_reason(status),
		status == 200 ? METRICS_TYPE : "text/plain; charset=utf-8", size,
		status == 405 ? "Allow: GET, HEAD\r\n" : "");
	if (!is_head)
		fwrite(text, 1, size, to);
	return !fclose(to) && c->out;
}

static bool fill_refusal(struct connection *c, const struct metrics_request *r)
{
	char text[64];
	const int n = snprintf(text, sizeof(text), "%d %s\n", r->status,
			       metrics_request_reason(r->status));

	return fill(c, r->status, r->is_head, text, (size_t)n);
}

static bool fill_metrics(struct metrics_server *s, struct connection *c, struct metrics_request *r)
{
	bool is_filled;

	pthread_mutex_lock(&s->lock);
	if (!s->text)
		r->status = 503;
	is_filled = s->text && fill(c, 200, r->is_head, s->text, s->size);
	pthread_mutex_unlock(&s->lock);
	return is_filled || (r->status != 200 && fill_refusal(c, r));
}

static void send_some(struct metrics_server *s, struct connection *c)
{
	const ssize_t n = send(c->fd, c->out + c->out_pos, c->out_size - c->out_pos, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		drop(s, c);
		return;
	}
	c->out_pos += (size_t)n;
	if (c->out_pos < c->out_size)
		return;
	count(s, c->result);
	/* Closing while bytes of the client are unread would take the answer from it. */
	shutdown(c->fd, SHUT_WR);
	c->state = LEAVING;
}

static void begin_answer(struct metrics_server *s, struct connection *c, struct metrics_request r)
{
	const bool is_filled = r.status == 200 ? fill_metrics(s, c, &r) : fill_refusal(c, &r);

	if (!is_filled) {
		drop(s, c);
		return;
	}
	c->result = r.status == 200 ? &s->clients.given : &s->clients.refused;
	c->state = ANSWERING;
	send_some(s, c);
}

static void read_some(struct metrics_server *s, struct connection *c)
{
	const ssize_t n = recv(c->fd, c->in + c->in_size, sizeof(c->in) - c->in_size, 0);
	struct metrics_request r;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(s, c);
		return;
	}
	c->in_size += (size_t)n;
	r = metrics_request_parse(c->in, c->in_size, !s->place.is_unix);
	if (!r.status && c->in_size == sizeof(c->in))
		r.status = 431;
	if (r.status)
		begin_answer(s, c, r);
}

/* Reads and forgets what a client still sends after its answer. */
static void read_rest(struct connection *c)
{
	const ssize_t n = recv(c->fd, c->in, sizeof(c->in), 0);

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		leave(c);
}

static void go_on(struct metrics_server *s, struct connection *c)
{
	if (c->state == READING)
		read_some(s, c);
	else if (c->state == ANSWERING)
		send_some(s, c);
	else if (c->state == LEAVING)
		read_rest(c);
}

/* Returns a free place; without one, that of the oldest connection. */
static struct connection *free_place(struct metrics_server *s)
{
	struct connection *oldest = &s->list[0];

	for (int i = 0; i < CONNECTIONS; i++) {
		struct connection *c = &s->list[i];

		if (c->state == CLOSED)
			return c;
		if (c->end_ms < oldest->end_ms)
			oldest = c;
	}
	drop(s, oldest);
	return oldest;
}

static void accept_some(struct metrics_server *s, __s64 now)
{
	for (int i = 0; i < ACCEPT_MAX; i++) {
		const int fd = accept4(s->place.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct connection *c;

		if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			s->paused_ms = now + PAUSE_MS;
		if (fd < 0)
			return;
		c = free_place(s);
		c->state = READING;
		c->fd = fd;
		c->end_ms = now + CONNECTION_MS;
		c->in_size = c->out_size = c->out_pos = 0;
		/* The request has usually come with the connection. */
		read_some(s, c);
	}
}

/* Closes the connections whose time is over; returns when the next one's is. */
static __s64 close_late(struct metrics_server *s, __s64 now)
{
	__s64 next = s->paused_ms > now ? s->paused_ms : now + CONNECTION_MS;

	for (int i = 0; i < CONNECTIONS; i++) {
		struct connection *c = &s->list[i];

		if (c->state != CLOSED && c->end_ms <= now)
			drop(s, c);
		else if (c->state != CLOSED && c->end_ms < next)
			next = c->end_ms;
	}
	return next;
}

static void serve(struct metrics_server *s)
{
	struct pollfd ready[FIRST + CONNECTIONS] = {
		[STOP] = { .fd = s->stop_fd, .events = POLLIN },
	};

	while (!ready[STOP].revents) {
		__s64 now = now_ms(), next = close_late(s, now);

		ready[LISTENER] = (struct pollfd){
			now < s->paused_ms ? -1 : s->place.fd, POLLIN, 0,
		};
		for (int i = 0; i < CONNECTIONS; i++)
			ready[FIRST + i] = (struct pollfd){
				s->list[i].state == CLOSED ? -1 : s->list[i].fd,
				s->list[i].state == ANSWERING ? POLLOUT : POLLIN, 0,
			};
		if (poll(ready, FIRST + CONNECTIONS, (int)(next - now)) <= 0)
			continue;
		for (int i = 0; i < CONNECTIONS; i++)
			if (ready[FIRST + i].revents)
				go_on(s, &s->list[i]);
		if (ready[LISTENER].revents)
			accept_some(s, now_ms());
	}
}

static void *run(void *arg)
{
	const struct sched_param usual = { .sched_priority = 0 };
	struct metrics_server *s = arg;

	/* Of the thread alone: a program may have a real-time priority. */
	pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual);
	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	pthread_setname_np(pthread_self(), "metrics");
	serve(s);
	for (int i = 0; i < CONNECTIONS; i++)
		if (s->list[i].state != CLOSED)
			leave(&s->list[i]);
	return NULL;
}

int metrics_server_open(struct metrics_server **out, const char *place)
{
	struct metrics_server *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	ret = metrics_place_open(&s->place, place);
	if (!ret) {
		s->stop_fd = eventfd(0, EFD_CLOEXEC);
		ret = s->stop_fd < 0 ? -errno : 0;
		if (ret)
			metrics_place_close(&s->place);
	}
	if (ret) {
		free(s);
		return ret;
	}
	pthread_mutex_init(&s->lock, NULL);
	*out = s;
	return 0;
}

const char *metrics_server_url(const struct metrics_server *s)
{
	return s->place.url;
}

int metrics_server_begin(struct metrics_server *s)
{
	sigset_t all, before;
	int ret;

	/* Signals are the program's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = -pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->is_running = !ret;
	return ret;
}

void metrics_server_collect(struct metrics_server *s, void (*put)(FILE *to, void *arg), void *arg)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	bool is_whole;

	if (!to)
		return;
	put(to, arg);
	is_whole = !ferror(to);
	is_whole &= !fclose(to);
	if (is_whole && !pthread_mutex_trylock(&s->lock)) {
		char *before = s->text;

		s->text = text;
		s->size = size;
		text = before;
		pthread_mutex_unlock(&s->lock);
	}
	free(text);
}

void metrics_server_put(struct metrics_server *s, FILE *to, const struct metric *m)
{
	if (!pthread_mutex_trylock(&s->lock)) {
		s->told = s->clients;
		pthread_mutex_unlock(&s->lock);
	}
	metric_begin(to, m);
	metric_sample(to, m, "result", "given", s->told.given);
	metric_sample(to, m, "result", "refused", s->told.refused);
	metric_sample(to, m, "result", "dropped", s->told.dropped);
}

void metrics_server_close(struct metrics_server *s)
{
	if (!s)
		return;
	if (s->is_running) {
		eventfd_write(s->stop_fd, 1);
		pthread_join(s->thread, NULL);
	}
	close(s->stop_fd);
	metrics_place_close(&s->place);
	pthread_mutex_destroy(&s->lock);
	free(s->text);
	free(s);
}
