// SPDX-License-Identifier: GPL-2.0
/*
 * errors.c - errors that need more than an argument: no memory, no space; arguments that are none,
 * wherever they go; and that errno is no way to tell of any
 */
#include "suite.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#define CREATE "XSH posix_trace_create, ERRORS"

static void too_large(void)
{
	trace_attr_t attr;
	trace_id_t trid;
	int error;

	need(posix_trace_attr_init(&attr));
	error = posix_trace_attr_setstreamsize(&attr, (size_t)1 << 62);
	if (!error)
		error = posix_trace_create(0, &attr, &trid);
	check(CREATE, error == ENOMEM || error == EINVAL,
	      "a stream larger than any memory: ENOMEM, or EINVAL (%d)", error);
	need(posix_trace_attr_destroy(&attr));
}

/* A log on a device that is full, which shows when it is flushed or shut down */
static void no_space(void)
{
	int fd = open("/dev/full", O_WRONLY), error;
	trace_attr_t attr;
	trace_id_t trid;

	if (fd < 0)
		return;
	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND));
	error = posix_trace_create_withlog(0, &attr, fd, &trid);
	if (!error) {
		need(posix_trace_start(trid));
		tell(event("nowhere"), 1);
		error = posix_trace_shutdown(trid);
	}
	same(CREATE, error, ENOSPC, "a log on a device without room: ENOSPC");
	need(posix_trace_attr_destroy(&attr));
	close(fd);
}

static void positive(void)
{
	struct posix_trace_status_info s;

	check("XSH posix_trace_start, RETURN VALUE", posix_trace_start(-1) > 0,
	      "errors are positive numbers");
	check("XSH posix_trace_get_attr, RETURN VALUE", posix_trace_get_status(-1, &s) > 0,
	      "all of them");
}

/* ERRNO(call, want): one result, whether that is returned, and errno is as it was before */
#define ERRNO(call, want) do { \
	int returned; \
	errno = ERANGE; \
	returned = (call); \
	keeps_errno(HERE(#call), errno, returned, want); \
} while (0)

static void keeps_errno(const struct place *p, int is, int returned, int want)
{
	result(p, "XSH 2.3", true, is == ERANGE && returned == want,
	       "%s returns %d, without a change of errno", p->expression, returned);
}

/* Of what needs no stream; matrix.c calls the others. */
static void of_attributes(trace_attr_t *a, int want)
{
	char text[TRACE_NAME_MAX];
	struct timespec t;
	size_t n;
	int i;

	ERRNO(posix_trace_attr_getclockres(a, &t), want);
	ERRNO(posix_trace_attr_getcreatetime(a, &t), want);
	ERRNO(posix_trace_attr_getgenversion(a, text), want);
	ERRNO(posix_trace_attr_getinherited(a, &i), want);
	ERRNO(posix_trace_attr_getlogfullpolicy(a, &i), want);
	ERRNO(posix_trace_attr_getlogsize(a, &n), want);
	ERRNO(posix_trace_attr_getmaxdatasize(a, &n), want);
	ERRNO(posix_trace_attr_getmaxsystemeventsize(a, &n), want);
	ERRNO(posix_trace_attr_getmaxusereventsize(a, 1, &n), want);
	ERRNO(posix_trace_attr_getname(a, text), want);
	ERRNO(posix_trace_attr_getstreamfullpolicy(a, &i), want);
	ERRNO(posix_trace_attr_getstreamsize(a, &n), want);
	ERRNO(posix_trace_attr_setinherited(a, POSIX_TRACE_INHERITED), want);
	ERRNO(posix_trace_attr_setlogfullpolicy(a, POSIX_TRACE_APPEND), want);
	ERRNO(posix_trace_attr_setlogsize(a, 10000), want);
	ERRNO(posix_trace_attr_setmaxdatasize(a, 100), want);
	ERRNO(posix_trace_attr_setname(a, "name"), want);
	ERRNO(posix_trace_attr_setstreamfullpolicy(a, POSIX_TRACE_UNTIL_FULL), want);
	ERRNO(posix_trace_attr_setstreamsize(a, 10000), want);
}

static void of_sets(trace_event_id_t id, int want)
{
	trace_event_set_t set;
	int i;

	ERRNO(posix_trace_eventset_empty(&set), 0);
	ERRNO(posix_trace_eventset_fill(&set, want ? -1 : POSIX_TRACE_ALL_EVENTS), want);
	ERRNO(posix_trace_eventset_add(id, &set), want);
	ERRNO(posix_trace_eventset_del(id, &set), want);
	ERRNO(posix_trace_eventset_ismember(id, &set, &i), want);
}

static void in_vain(trace_id_t trid)
{
	struct timespec t;
	struct seen e;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	ERRNO(posix_trace_timedgetnext_event(trid, &e.info, NULL, 0, &e.len, &e.unavailable, &t),
	      ETIMEDOUT);
}

static void of_streams(const trace_attr_t *a)
{
	int file = new_file(), null = open("/dev/null", O_RDONLY);
	trace_id_t trid;

	ERRNO(posix_trace_create(0, a, &trid), 0);
	in_vain(trid);
	ERRNO(posix_trace_shutdown(trid), 0);
	ERRNO(posix_trace_create(-77, a, &trid), ESRCH);
	ERRNO(posix_trace_create_withlog(0, a, null, &trid), EBADF);
	ERRNO(posix_trace_open(null, &trid), EINVAL);
	ERRNO(posix_trace_open(-1, &trid), EINVAL);
	ERRNO(posix_trace_create_withlog(0, a, file, &trid), 0);
	ERRNO(posix_trace_shutdown(trid), 0);
	ERRNO(posix_trace_open(file, &trid), 0);
	ERRNO(posix_trace_close(trid), 0);
	close(file);
	close(null);
}

static void leave_errno(void)
{
	static char text[TRACE_EVENT_NAME_MAX + 2];
	trace_event_id_t id;
	trace_attr_t attr;

	ERRNO(posix_trace_attr_init(&attr), 0);
	of_attributes(&attr, 0);
	of_streams(&attr);
	ERRNO(posix_trace_attr_destroy(&attr), 0);
	of_attributes(&attr, EINVAL);
	ERRNO(posix_trace_attr_destroy(&attr), EINVAL);
	ERRNO(posix_trace_eventid_open("new", &id), 0);
	of_sets(id, 0);
	of_sets(0, EINVAL);
	ERRNO(posix_trace_eventid_equal(0, id, 0), 0);
	memset(text, 'x', sizeof(text) - 1);
	ERRNO(posix_trace_eventid_open(text, &id), ENAMETOOLONG);
	ERRNO((tell(id, 1), 0), 0);
}

/* bad_type - what never was an event type, in sets, of streams, and told */
static void bad_type(trace_event_id_t id, const trace_id_t *t)
{
	static char text[TRACE_EVENT_NAME_MAX + 1];
	trace_event_set_t set;
	int member;

	need(posix_trace_eventset_empty(&set));
	choice("XSH posix_trace_eventset_add, ERRORS",
	       posix_trace_eventset_add(id, &set) == EINVAL &&
	       posix_trace_eventset_del(id, &set) == EINVAL &&
	       posix_trace_eventset_ismember(id, &set, &member) == EINVAL,
	       "%u is no event type: no set takes it", id);
	for (enum kind kind = ACTIVE; kind < KINDS; kind++)
		same("XSH posix_trace_eventid_get_name, ERRORS",
		     posix_trace_eventid_get_name(t[kind], id, text), EINVAL,
		     "nor has it a name in a stream of kind %d", kind);
	tell(id, 1);
}

/* nowhere - there is an event to read, and no room for what is to be said of it */
static void nowhere(enum kind kind, trace_id_t t)
{
	int (*next)(trace_id_t, struct posix_trace_event_info *restrict, void *restrict, size_t,
		    size_t *restrict, int *restrict) = kind == RECORDED ?
		posix_trace_getnext_event : posix_trace_trygetnext_event;
	struct seen e;

	choice("posix_trace(7)", next(t, NULL, e.data, 1, &e.len, &e.unavailable) == EINVAL &&
	       next(t, &e.info, NULL, 1, &e.len, &e.unavailable) == EINVAL &&
	       next(t, &e.info, e.data, 1, NULL, &e.unavailable) == EINVAL &&
	       next(t, &e.info, e.data, 1, &e.len, NULL) == EINVAL,
	       "NULL instead of what is to be stored to, kind %d: EINVAL", kind);
	choice("posix_trace(7)", posix_trace_timedgetnext_event(t, NULL, e.data, 1, &e.len,
								&e.unavailable, NULL) == EINVAL,
	       "the same for a wait");
}

static void bad_arguments(void)
{
	static const trace_event_id_t none[] = { 0, 0x10000 + POSIX_TRACE_START, INT_MAX,
						 (trace_event_id_t)-1 };
	int fd, own = new_file();
	trace_id_t t[KINDS] = {
		started(0, 0), logged(own, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0),
		recorded(&fd),
	};

	need(posix_trace_start(t[WITH_LOG]));
	drain(t[ACTIVE]);	/* recorded() has told some */
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		bad_type(none[i], t);
	tell(event("good"), 1);
	for (enum kind kind = ACTIVE; kind < KINDS; kind++)
		nowhere(kind, t[kind]);
	tells("posix_trace(7)", t[ACTIVE], ACTIVE, "good", "bad types are not recorded");
	tells("posix_trace(7)", t[WITH_LOG], WITH_LOG, "START good", "nor with a log");
	tells("posix_trace(7)", t[RECORDED], RECORDED, "START a b STOP", "a log is as it was");
	need(posix_trace_shutdown(t[ACTIVE]));
	need(posix_trace_shutdown(t[WITH_LOG]));
	need(posix_trace_close(t[RECORDED]));
	close(own);
	close(fd);
}

int main(void)
{
	leave_errno();
	bad_arguments();
	too_large();
	no_space();
	positive();
	return done();
}
