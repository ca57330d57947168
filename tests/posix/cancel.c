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
static struct timespec when;
static size_t n;
static int i;

#define CALL(name, call) static void name(void) { (void)(call); }

CALL(attr_init, posix_trace_attr_init(&attr))
CALL(attr_getclockres, posix_trace_attr_getclockres(&attr, &when))
CALL(attr_getcreatetime, posix_trace_attr_getcreatetime(&attr, &when))
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

/* pending - @t: a new stream, which does not run */
static void pending(trace_id_t t)
{
	pthread_t thread;
	void *how;

	trid = t;
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

/* What may be where a thread is cancelled. Each of these returns what it does. */
#define MAY(name, call) static int name(void) { return call; }

static trace_id_t made;
static trace_event_id_t listed;
static struct posix_trace_status_info info;
static int fd;
static const struct timespec far = { 0x7fffffff, 0 };

MAY(clear, posix_trace_clear(trid))
MAY(closes, posix_trace_close(trid))
MAY(create, posix_trace_create(0, NULL, &made))
MAY(create_withlog, posix_trace_create_withlog(0, NULL, fd, &made))
MAY(eventtypelist_getnext_id, posix_trace_eventtypelist_getnext_id(trid, &listed, &i))
MAY(eventtypelist_rewind, posix_trace_eventtypelist_rewind(trid))
MAY(flush, posix_trace_flush(trid))
MAY(get_attr, posix_trace_get_attr(trid, &attr))
MAY(get_filter, posix_trace_get_filter(trid, &set))
MAY(get_status, posix_trace_get_status(trid, &info))
MAY(getnext_event, posix_trace_getnext_event(trid, &e.info, e.data, sizeof(e.data), &e.len,
					     &e.unavailable))
MAY(opens, lseek(fd, 0, SEEK_SET) ? errno : posix_trace_open(fd, &made))
MAY(rewinds, posix_trace_rewind(trid))
MAY(set_filter, posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET))
MAY(shutdowns, posix_trace_shutdown(trid))
MAY(timedgetnext_event, posix_trace_timedgetnext_event(trid, &e.info, e.data, sizeof(e.data),
						       &e.len, &e.unavailable, &far))

#define OF(kind) (1 << (kind))
#define ANY_STREAM (OF(ACTIVE) | OF(WITH_LOG))

static const struct point {
	const char *name;
	int (*call)(void);
	unsigned int kinds;
	int (*end)(trace_id_t t);	/* what ends the stream that it makes */
} points[] = {
	{ "create", create, OF(ACTIVE), posix_trace_shutdown },
	{ "create_withlog", create_withlog, OF(ACTIVE), posix_trace_shutdown },
	{ "open", opens, OF(ACTIVE), posix_trace_close },
	{ "clear", clear, ANY_STREAM, NULL },
	{ "eventtypelist_getnext_id", eventtypelist_getnext_id, ANY_STREAM | OF(RECORDED), NULL },
	{ "eventtypelist_rewind", eventtypelist_rewind, ANY_STREAM | OF(RECORDED), NULL },
	{ "flush", flush, OF(WITH_LOG), NULL },
	{ "get_attr", get_attr, ANY_STREAM | OF(RECORDED), NULL },
	{ "get_filter", get_filter, ANY_STREAM, NULL },
	{ "get_status", get_status, ANY_STREAM | OF(RECORDED), NULL },
	{ "set_filter", set_filter, ANY_STREAM, NULL },
	{ "rewind", rewinds, OF(RECORDED), NULL },
	{ "getnext_event", getnext_event, ANY_STREAM | OF(RECORDED), NULL },
	{ "timedgetnext_event", timedgetnext_event, ANY_STREAM | OF(RECORDED), NULL },
	/* The last of each kind */
	{ "shutdown", shutdowns, ANY_STREAM, NULL },
	{ "close", closes, OF(RECORDED), NULL },
};

/* attempt - one call by a thread that is to be cancelled. @error: -1: it did not return */
struct attempt {
	const struct point *point;
	int error;
};

static void *one_call(void *argument)
{
	struct attempt *a = argument;

	pthread_cancel(pthread_self());
	a->error = a->point->call();
	pthread_testcancel();
	return NULL;
}

/* Return: whether the call came to its end, which it need not. */
static bool is_done(const struct point *p, const char *what)
{
	struct attempt a = { p, -1 };
	pthread_t thread;
	void *how;

	made = -1;
	need(pthread_create(&thread, NULL, one_call, &a));
	need(pthread_join(thread, &how));
	check(POINTS, how == PTHREAD_CANCELED && (a.error == 0 || a.error == -1),
	      "%s() of %s by a thread that is to be cancelled: it is (%d)", p->name, what,
	      a.error);
	if (p->end && a.error == 0)
		same(POINTS, p->end(made), 0, "what it made can be ended");
	return a.error == 0;
}

/* All points of a kind of stream, which is left as good as it was */
static void at_points(enum kind kind, trace_id_t t)
{
	static const char *const kinds[KINDS] = { "a stream", "a stream with log", "a log" };
	const struct point *last = NULL;
	int error;

	trid = t;
	need(posix_trace_eventset_empty(&set));
	for (size_t k = 0; k < sizeof(points) / sizeof(points[0]); k++) {
		if (!(points[k].kinds & OF(kind)))
			continue;
		last = &points[k];
		if (last->call == shutdowns || last->call == closes)
			break;
		is_done(last, kinds[kind]);
		tell(id, 4);	/* an event to wait for */
	}
	same(POINTS, get_status(), 0, "%s: it can be used by others afterwards", kinds[kind]);
	if (kind == RECORDED) {
		need(posix_trace_rewind(trid));
		tells(POINTS, trid, kind, "START a b STOP", "it has all events");
	} else {
		await_flushed(trid);
		tell(id, 5);
		check(POINTS, find(trid, kind, id, &e), "it has events");
	}
	error = is_done(last, kinds[kind]) ? EINVAL : 0;
	same(POINTS, last->call(), error, "it is ended once");
}

/* With each kind of stream */
static void points_of_cancellation(void)
{
	int log, own = new_file();
	trace_id_t t = recorded(&log);

	need(posix_trace_close(t));
	fd = log;
	at_points(RECORDED, reopened(log));
	id = event("cancelled");
	t = logged(own, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0);
	need(posix_trace_start(t));
	at_points(WITH_LOG, t);
	at_points(ACTIVE, started(0, 0));
	close(own);
	close(log);
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
	struct seen *own = argument;

	__atomic_store_n(&tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;)
		posix_trace_timedgetnext_event(trid, &own->info, own->data, sizeof(own->data),
					       &own->len, &own->unavailable, &far);
	return NULL;
}

/* blocked - in @t, which runs and is empty */
static void blocked(trace_id_t t, void *(*function)(void *), const char *name)
{
	struct seen own, next;
	pthread_t thread;
	void *how;

	trid = t;
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
	int log = new_file();
	trace_id_t t;

	pending(stream(0, 0));
	pending(logged(log, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0));
	points_of_cancellation();
	id = event("cancelled");
	blocked(started(0, 0), waits, "getnext_event");
	blocked(started(0, 0), waits_for_long, "timedgetnext_event");
	t = logged(log, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_LOOP, 0);
	need(posix_trace_start(t));
	drain(t);
	blocked(t, waits, "getnext_event");
	close(log);
	return done();
}
