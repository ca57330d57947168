// SPDX-License-Identifier: GPL-2.0
/*
 * threads.c - any function by any thread at any time, while streams are ended and made
 *
 * XSH 2.9.1: all of them are safe to be called by several threads at once. Whatever a thread calls
 * works, or its stream is over; no event is given to two; a stream is ended once.
 */
#include "suite.h"

#include <stdatomic.h>

#define PAGE "XSH 2.9.1"
#define WORKERS 3
#define EVENTS 16384u
#define NAMES 16

static _Atomic trace_id_t streams[KINDS];
static atomic_bool is_over;
static atomic_uchar seen[RECORDED][EVENTS];	/* how often each event was read */
static atomic_uint twice, others, names_changed;
static _Atomic trace_event_id_t names[NAMES];
static trace_event_id_t id;

/* struct worker - a thread, and what it reads into */
struct worker {
	pthread_t thread;
	unsigned int turn;
	enum kind kind;
	trace_id_t trid;
	struct seen e;
	trace_attr_t attr;
	trace_event_set_t set;
	struct posix_trace_status_info info;
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t type;
	int none;
};

/* read_one - a number that the stream gives, once */
static int read_one(struct worker *w, int error)
{
	const uint64_t n = error || w->e.unavailable ? EVENTS : number_of(&w->e);

	if (w->kind < RECORDED && n < EVENTS && w->e.info.posix_event_id == id)
		twice += atomic_fetch_add(&seen[w->kind][n], 1) > 0;
	return error == ETIMEDOUT ? 0 : error;
}

static int try_one(struct worker *w)
{
	struct seen *e = &w->e;

	return read_one(w, posix_trace_trygetnext_event(w->trid, &e->info, e->data,
							sizeof(e->data), &e->len,
							&e->unavailable));
}

static int time_one(struct worker *w)
{
	static const struct timespec past = { 0, 0 };
	struct seen *e = &w->e;

	return read_one(w, posix_trace_timedgetnext_event(w->trid, &e->info, e->data,
							  sizeof(e->data), &e->len,
							  &e->unavailable, &past));
}

static int starts(struct worker *w)
{
	return posix_trace_start(w->trid);
}

static int stops(struct worker *w)
{
	return w->turn % 4 ? posix_trace_start(w->trid) : posix_trace_stop(w->trid);
}

static int flushes(struct worker *w)
{
	const int error = posix_trace_flush(w->trid);

	return w->kind == WITH_LOG ? error : 0;
}

static int clears(struct worker *w)
{
	return w->turn % 8 ? 0 : posix_trace_clear(w->trid);
}

static int looks(struct worker *w)
{
	return posix_trace_get_status(w->trid, &w->info);
}

static int asks(struct worker *w)
{
	return posix_trace_get_attr(w->trid, &w->attr);
}

static int filters(struct worker *w)
{
	const int error = posix_trace_get_filter(w->trid, &w->set);

	if (error)
		return error;
	posix_trace_eventset_add(POSIX_TRACE_ERROR, &w->set);
	return posix_trace_set_filter(w->trid, &w->set, POSIX_TRACE_ADD_EVENTSET);
}

/* The same name has the same id, whichever thread opens it first. */
static int opens(struct worker *w)
{
	const unsigned int n = w->turn % NAMES;
	trace_event_id_t known = 0;
	int error;

	snprintf(w->name, sizeof(w->name), "of threads %u", n);
	error = w->turn % 2 ? posix_trace_eventid_open(w->name, &w->type) :
		posix_trace_trid_eventid_open(w->trid, w->name, &w->type);
	if (!error && !atomic_compare_exchange_strong(&names[n], &known, w->type))
		names_changed += known != w->type;
	return error;
}

static int calls_by_name(struct worker *w)
{
	return posix_trace_eventid_get_name(w->trid, id, w->name);
}

static int lists(struct worker *w)
{
	const int error = posix_trace_eventtypelist_getnext_id(w->trid, &w->type, &w->none);

	return error || !w->none ? error : posix_trace_eventtypelist_rewind(w->trid);
}

static int rewinds(struct worker *w)
{
	const int error = posix_trace_rewind(w->trid);

	return w->kind == RECORDED ? error : 0;
}

static int reads(struct worker *w)
{
	struct seen *e = &w->e;

	if (w->kind != RECORDED)
		return 0;
	return posix_trace_getnext_event(w->trid, &e->info, e->data, sizeof(e->data), &e->len,
					 &e->unavailable);
}

static int (*const calls[])(struct worker *w) = {
	try_one, time_one, starts, try_one, stops, flushes, looks, asks, try_one, filters, opens,
	calls_by_name, time_one, lists, clears, rewinds, reads, looks,
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void *works(void *argument)
{
	struct worker *w = argument;
	int error;

	for (; !is_over; w->turn++) {
		w->kind = w->turn / CALLS % KINDS;
		w->trid = streams[w->kind];
		error = calls[w->turn % CALLS](w);
		/* What is only for active streams, or another thread has ended it. */
		others += error && error != EINVAL;
	}
	return NULL;
}

/* It waits for events, and the end of each stream wakes it. */
static void *waits(void *argument)
{
	struct worker *w = argument;
	struct seen *e = &w->e;
	int error;

	while (!is_over) {
		w->trid = streams[w->kind];
		error = read_one(w, posix_trace_getnext_event(w->trid, &e->info, e->data,
							      sizeof(e->data), &e->len,
							      &e->unavailable));
		others += error && error != EINVAL;
	}
	return NULL;
}

static trace_id_t make(enum kind kind, int fd)
{
	return kind == ACTIVE ? stream(POSIX_TRACE_LOOP, SMALL) :
	       logged(fd, POSIX_TRACE_FLUSH, POSIX_TRACE_LOOP, 0);
}

/* replace - a stream by another one. What was told is the new one's number. */
static unsigned int replace(enum kind kind, int fd, uint64_t *number)
{
	const int error = posix_trace_shutdown(streams[kind]);

	streams[kind] = make(kind, fd);
	need(posix_trace_start(streams[kind]));
	for (int i = 0; i < 100 && *number < EVENTS; i++)
		tell(id, (*number)++);
	return error != 0;
}

static void all_at_once(void)
{
	static struct worker workers[WORKERS + 2];
	const unsigned int rounds = often(40);
	unsigned int failed = 0;
	uint64_t number = 0;
	int log, fd = new_file();

	streams[RECORDED] = recorded(&log);
	for (enum kind kind = ACTIVE; kind < RECORDED; kind++)
		streams[kind] = make(kind, fd);
	for (unsigned int i = 0; i < WORKERS + 2; i++) {
		workers[i].turn = i * 7;
		workers[i].kind = i % 2 ? ACTIVE : WITH_LOG;
		need(pthread_create(&workers[i].thread, NULL, i < WORKERS ? works : waits,
				    &workers[i]));
	}
	for (unsigned int i = 0; i < rounds; i++)
		failed += replace(i % 10 ? ACTIVE : WITH_LOG, fd, &number);
	is_over = true;
	for (enum kind kind = ACTIVE; kind < RECORDED; kind++)
		failed += posix_trace_shutdown(streams[kind]) != 0;
	for (unsigned int i = 0; i < WORKERS + 2; i++)
		need(pthread_join(workers[i].thread, NULL));
	same(PAGE, failed, 0, "%u streams are ended while others use them", rounds);
	same(PAGE, others, 0, "whatever is called works, or is EINVAL: the stream is over");
	same(PAGE, twice, 0, "no event is given to two threads");
	same(PAGE, names_changed, 0, "a name has one id, whoever opens it first");
	need(posix_trace_close(streams[RECORDED]));
	close(log);
	close(fd);
}

static pthread_barrier_t gate;

static void *ends(void *argument)
{
	const trace_id_t trid = *(trace_id_t *)argument;

	pthread_barrier_wait(&gate);
	return (void *)(intptr_t)posix_trace_shutdown(trid);
}

static void ended_once(trace_id_t trid)
{
	pthread_t threads[WORKERS];
	int ended = 0, refused = 0;
	void *error;

	need(pthread_barrier_init(&gate, NULL, WORKERS));
	for (int i = 0; i < WORKERS; i++)
		need(pthread_create(&threads[i], NULL, ends, &trid));
	for (int i = 0; i < WORKERS; i++) {
		need(pthread_join(threads[i], &error));
		ended += !error;
		refused += (intptr_t)error == EINVAL;
	}
	pthread_barrier_destroy(&gate);
	check("XSH posix_trace_shutdown", ended == 1 && refused == WORKERS - 1,
	      "of %d threads that end a stream one does, for the others it is over", WORKERS);
}

int main(void)
{
	int fd = new_file();

	id = event("told");
	all_at_once();
	ended_once(started(0, 0));
	ended_once(logged(fd, 0, 0, 0));
	close(fd);
	return done();
}
