// SPDX-License-Identifier: GPL-2.0
/*
 * matrix.c - which streams may go where: functions, kinds of streams, and how an id is no good
 *
 * XSH posix_trace_create and posix_trace_open list what may be called with an id, and say that
 * all else fails with EINVAL: with an id that is over, was never given, or is another process's.
 * Whatever they return, errno is left alone.
 */
#include "suite.h"

#include <limits.h>

#define CREATE "XSH posix_trace_create, DESCRIPTION"
#define OPEN "XSH posix_trace_open, DESCRIPTION"

static struct seen e;
static trace_event_id_t id;
static trace_event_set_t set;
static trace_attr_t attr;
static struct posix_trace_status_info info;
static const struct timespec soon = { 0, 0 };
static char name[TRACE_EVENT_NAME_MAX + 1];
static unsigned int changes;
static int none;

static int eventid_get_name(trace_id_t t)
{
	return posix_trace_eventid_get_name(t, POSIX_TRACE_START, name);
}

static int trid_eventid_open(trace_id_t t)
{
	return posix_trace_trid_eventid_open(t, "of the matrix", &id);
}

static int getnext_id(trace_id_t t)
{
	return posix_trace_eventtypelist_getnext_id(t, &id, &none);
}

static int get_attr(trace_id_t t)
{
	return posix_trace_get_attr(t, &attr);
}

static int get_status(trace_id_t t)
{
	return posix_trace_get_status(t, &info);
}

static int get_filter(trace_id_t t)
{
	return posix_trace_get_filter(t, &set);
}

static int set_filter(trace_id_t t)
{
	return posix_trace_set_filter(t, &set, POSIX_TRACE_SET_EVENTSET);
}

static int getnext_event(trace_id_t t)
{
	return posix_trace_getnext_event(t, &e.info, e.data, sizeof(e.data), &e.len,
					 &e.unavailable);
}

static int timedgetnext_event(trace_id_t t)
{
	return posix_trace_timedgetnext_event(t, &e.info, e.data, sizeof(e.data), &e.len,
					      &e.unavailable, &soon);
}

static int trygetnext_event(trace_id_t t)
{
	return posix_trace_trygetnext_event(t, &e.info, e.data, sizeof(e.data), &e.len,
					    &e.unavailable);
}

/* What is expected: it works, EINVAL, or the standard does not say, and we have it work. */
enum { NO, YES, OURS };

static const struct row {
	const char *name;
	int (*call)(trace_id_t t);
	int may[KINDS];		/* ACTIVE, WITH_LOG, RECORDED */
	bool ends;
} rows[] = {
	{ "getnext_event", getnext_event, { YES, OURS, YES }, false },
	{ "timedgetnext_event", timedgetnext_event, { YES, OURS, OURS }, false },
	{ "trygetnext_event", trygetnext_event, { YES, OURS, NO }, false },
	{ "clear", posix_trace_clear, { YES, YES, NO }, false },
	{ "start", posix_trace_start, { YES, YES, NO }, false },
	{ "stop", posix_trace_stop, { YES, YES, NO }, false },
	{ "trid_eventid_open", trid_eventid_open, { YES, YES, NO }, false },
	{ "get_filter", get_filter, { YES, YES, NO }, false },
	{ "set_filter", set_filter, { YES, YES, NO }, false },
	{ "flush", posix_trace_flush, { NO, YES, NO }, false },
	{ "get_attr", get_attr, { YES, YES, YES }, false },
	{ "get_status", get_status, { YES, YES, YES }, false },
	{ "eventid_get_name", eventid_get_name, { YES, YES, YES }, false },
	{ "eventtypelist_getnext_id", getnext_id, { YES, YES, YES }, false },
	{ "eventtypelist_rewind", posix_trace_eventtypelist_rewind, { YES, YES, YES }, false },
	{ "rewind", posix_trace_rewind, { NO, NO, YES }, false },
	{ "close", posix_trace_close, { NO, NO, YES }, true },
	{ "shutdown", posix_trace_shutdown, { YES, YES, NO }, true },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const kinds[KINDS] = { "a stream without log", "a stream with log", "a log" };

static int fd;

/* An event to read */
static void go_on(enum kind kind, trace_id_t t)
{
	if (kind == RECORDED) {
		need(posix_trace_rewind(t));
		return;
	}
	need(posix_trace_start(t));
	tell(event("a"), 1);
}

/* make - one of a kind, with an event to read; its file is fd */
static trace_id_t make(enum kind kind)
{
	trace_id_t t;

	fd = -1;
	if (kind == RECORDED)
		return recorded(&fd);
	if (kind == WITH_LOG) {
		fd = new_file();
		t = logged(fd, POSIX_TRACE_UNTIL_FULL, 0, 0);
	} else {
		t = stream(0, 0);
	}
	go_on(kind, t);
	return t;
}

static void end(enum kind kind, trace_id_t t)
{
	need(kind == RECORDED ? posix_trace_close(t) : posix_trace_shutdown(t));
	if (fd >= 0)
		close(fd);
}

static int say(const struct row *r, trace_id_t t)
{
	int error;

	errno = ERANGE;
	error = r->call(t);
	if (errno != ERANGE) {
		note("%s() has changed errno", r->name);
		changes++;
	}
	return error;
}

static int call(const struct row *r, enum kind kind, trace_id_t t)
{
	const char *where = kind == RECORDED ? OPEN : CREATE;
	int error = say(r, t);

	if (r->may[kind] == OURS)
		choice(where, error == 0, "%s() with %s", r->name, kinds[kind]);
	else
		same(where, error, r->may[kind] ? 0 : EINVAL, "%s() with %s%s", r->name,
		     kinds[kind],
		     r->may[kind] ? "" : ": EINVAL");
	return error;
}

static void valid(enum kind kind)
{
	trace_id_t t = make(kind);

	for (const struct row *r = rows; r < rows + ROWS; r++) {
		if (call(r, kind, t) || !r->ends) {
			go_on(kind, t);
			continue;
		}
		if (fd >= 0)
			close(fd);
		t = make(kind);
	}
	end(kind, t);
}

static void over(enum kind kind)
{
	trace_id_t t = make(kind);

	end(kind, t);
	for (const struct row *r = rows; r < rows + ROWS; r++)
		same("XSH posix_trace_create, posix_trace_close, DESCRIPTION", say(r, t), EINVAL,
		     "%s() with %s that is over: EINVAL", r->name, kinds[kind]);
}

static void never(void)
{
	static const trace_id_t ids[] = { -1, 0, INT_MAX, INT_MIN, 1234567 };

	for (const struct row *r = rows; r < rows + ROWS; r++)
		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
			same("XSH, ERRORS of each page", say(r, ids[i]), EINVAL,
			     "%s() with %d, which never was an id: EINVAL", r->name, ids[i]);
}

/* PTRC-32 */
static void in_the_child(void *argument)
{
	trace_id_t t = *(trace_id_t *)argument;

	for (const struct row *r = rows; r < rows + ROWS; r++)
		same(CREATE, say(r, t), EINVAL, "%s() in a child process: EINVAL", r->name);
}

/* The standard does not say whether a child may read what its parent has opened. */
static void log_in_the_child(void *argument)
{
	trace_id_t t = *(trace_id_t *)argument;

	for (const struct row *r = rows; r < rows + ROWS; r++)
		choice(OPEN, say(r, t) == EINVAL, "%s() of its parent's log in a child: EINVAL",
		       r->name);
}

static void log_of_the_parent(void)
{
	trace_id_t t = make(RECORDED);

	in_good_child(log_in_the_child, &t);
	tells(OPEN, t, RECORDED, "START a b STOP", "a log is as it was, whatever the child did");
	end(RECORDED, t);
}

static void of_the_parent(enum kind kind)
{
	trace_id_t t = make(kind);

	in_good_child(in_the_child, &t);
	is_in(CREATE, t, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL,
	      "%s is as it was, whatever the child did", kinds[kind]);
	end(kind, t);
}

int main(void)
{
	need(posix_trace_attr_init(&attr));
	need(posix_trace_eventset_empty(&set));
	for (enum kind kind = ACTIVE; kind < KINDS; kind++) {
		valid(kind);
		over(kind);
	}
	never();
	choice("XSH 2.3", changes == 0, "none of all these calls changes errno");
	of_the_parent(ACTIVE);
	of_the_parent(WITH_LOG);
	log_of_the_parent();
	return done();
}
