// SPDX-License-Identifier: GPL-2.0
/*
 * cancel.c - which functions may be where a thread is cancelled, and that streams survive it
 *
 * XSH 2.9.5.2 lists 16 functions that may be cancellation points; no other may.
 */
#include "suite.h"

#include <sys/syscall.h>

#define POINTS "XSH 2.9.5.2"

static trace_id_t trid;
static trace_attr_t attr;
static trace_event_id_t id;
static trace_event_set_t set;
static struct seen e;
static char text[TRACE_EVENT_NAME_MAX + TRACE_NAME_MAX];
static struct timespec t;
static size_t n;
static int i;

#define CALL(name, call) static void name(void) { (void)(call); }

CALL(attr_init, posix_trace_attr_init(&attr))
CALL(attr_getclockres, posix_trace_attr_getclockres(&attr, &t))
CALL(attr_getcreatetime, posix_trace_attr_getcreatetime(&attr, &t))
CALL(attr_getgenversion, posix_trace_attr_getgenversion(&attr, text))
CALL(attr_getinherited, posix_trace_attr_getinherited(&attr, &i))
CALL(attr_getlogfullpolicy, posix_trace_attr_getlogfullpolicy(&attr, &i))
CALL(attr_getlogsize, posix_trace_attr_getlogsize(&attr, &n))
CALL(attr_getmaxdatasize, posix_trace_attr_getmaxdatasize(&attr, &n))
CALL(attr_getmaxsystemeventsize, posix_trace_attr_getmaxsystemeventsize(&attr, &n))
CALL(attr_getmaxusereventsize, posix_trace_attr_getmaxusereventsize(&attr, 1, &n))
CALL(attr_getname, posix_trace_attr_getname(&attr, text))
CALL(attr_getstreamfullpolicy, posix_trace_attr_getstreamfullpolicy(&attr, &i))
CALL(attr_getstreamsize, posix_trace_attr_getstreamsize(&attr, &n))
CALL(attr_setinherited, posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED))
CALL(attr_setlogfullpolicy, posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_LOOP))
CALL(attr_setlogsize, posix_trace_attr_setlogsize(&attr, 100000))
CALL(attr_setmaxdatasize, posix_trace_attr_setmaxdatasize(&attr, 100))
CALL(attr_setname, posix_trace_attr_setname(&attr, "name"))
CALL(attr_setstreamfullpolicy, posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP))
CALL(attr_setstreamsize, posix_trace_attr_setstreamsize(&attr, 10000))
CALL(attr_destroy, posix_trace_attr_destroy(&attr))
CALL(start, posix_trace_start(trid))
CALL(tell_one, posix_trace_event(id, "x", 1))
CALL(stop, posix_trace_stop(trid))
CALL(trygetnext, posix_trace_trygetnext_event(trid, &e.info, e.data, sizeof(e.data), &e.len,
					      &e.unavailable))
CALL(eventid_open, posix_trace_eventid_open("opened by one that is cancelled", &id))
CALL(trid_eventid_open, posix_trace_trid_eventid_open(trid, "opened so, too", &id))
CALL(eventid_equal, posix_trace_eventid_equal(trid, id, id))
CALL(eventid_get_name, posix_trace_eventid_get_name(trid, id, text))
CALL(eventset_empty, posix_trace_eventset_empty(&set))
CALL(eventset_fill, posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS))
CALL(eventset_add, posix_trace_eventset_add(id, &set))
CALL(eventset_del, posix_trace_eventset_del(id, &set))
CALL(eventset_ismember, posix_trace_eventset_ismember(id, &set, &i))

static const struct {
	const char *name;
	void (*call)(void);
} never[] = {
#define NEVER(name) { #name, name }
	NEVER(attr_init), NEVER(attr_getclockres), NEVER(attr_getcreatetime),
	NEVER(attr_getgenversion), NEVER(attr_getinherited), NEVER(attr_getlogfullpolicy),
	NEVER(attr_getlogsize), NEVER(attr_getmaxdatasize), NEVER(attr_getmaxsystemeventsize),
	NEVER(attr_getmaxusereventsize), NEVER(attr_getname), NEVER(attr_getstreamfullpolicy),
	NEVER(attr_getstreamsize), NEVER(attr_setinherited), NEVER(attr_setlogfullpolicy),
	NEVER(attr_setlogsize), NEVER(attr_setmaxdatasize), NEVER(attr_setname),
	NEVER(attr_setstreamfullpolicy), NEVER(attr_setstreamsize), NEVER(attr_destroy),
	NEVER(start), NEVER(tell_one), NEVER(stop), NEVER(trygetnext), NEVER(eventid_open),
	NEVER(trid_eventid_open), NEVER(eventid_equal), NEVER(eventid_get_name),
	NEVER(eventset_empty), NEVER(eventset_fill), NEVER(eventset_add), NEVER(eventset_del),
	NEVER(eventset_ismember),
};

static const char *reached;

/* One thread calls all of them with a cancellation pending: it gets to the end. */
static void *calls(void *argument)
{
	pthread_cancel(pthread_self());
	for (size_t k = 0; k < sizeof(never) / sizeof(never[0]); k++) {
		reached = never[k].name;
		never[k].call();
	}
	reached = "the end";
	pthread_testcancel();
	return argument;
}

static void pending(void)
{
	pthread_t thread;
	void *how;

	trid = stream(0, 0);
	id = event("cancelled");
	need(pthread_create(&thread, NULL, calls, NULL));
	need(pthread_join(thread, &how));
	check(POINTS, strcmp(reached, "the end") == 0,
	      "34 functions are no cancellation points: the thread came to %s", reached);
	check(POINTS, how == PTHREAD_CANCELED, "and was cancelled behind them");
	is_in(POINTS, trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL, "they did their work");
	tells(POINTS, trid, ACTIVE, "cancelled STOP", "all of it");
	need(posix_trace_shutdown(trid));
}

static pid_t tid;

static void *waits(void *argument)
{
	struct seen *own = argument;

	__atomic_store_n(&tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;)
		posix_trace_getnext_event(trid, &own->info, own->data, sizeof(own->data), &own->len,
					  &own->unavailable);
	return NULL;
}

static void *waits_for_long(void *argument)
{
	struct timespec far = { 0x7fffffff, 0 };
	struct seen *own = argument;

	__atomic_store_n(&tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;)
		posix_trace_timedgetnext_event(trid, &own->info, own->data, sizeof(own->data),
					       &own->len, &own->unavailable, &far);
	return NULL;
}

static void blocked(void *(*function)(void *), const char *name)
{
	struct seen own, next;
	pthread_t thread;
	void *how;

	trid = started(0, 0);
	__atomic_store_n(&tid, 0, __ATOMIC_RELEASE);
	need(pthread_create(&thread, NULL, function, &own));
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		pause_ms(1);
	await_sleep(tid);
	need(pthread_cancel(thread));
	need(pthread_join(thread, &how));
	check(POINTS, how == PTHREAD_CANCELED, "a thread that waits in %s() can be cancelled",
	      name);
	tell(id, 3);
	check(POINTS, try_next(trid, &next) && number_of(&next) == 3,
	      "the stream can be used by others after it");
	same(POINTS, posix_trace_shutdown(trid), 0, "and shut down");
}

int main(void)
{
	pending();
	id = event("cancelled");
	blocked(waits, "getnext_event");
	blocked(waits_for_long, "timedgetnext_event");
	return done();
}
