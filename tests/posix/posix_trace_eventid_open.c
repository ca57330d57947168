// SPDX-License-Identifier: GPL-2.0
/* PTRC-54 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventid_open"

static void lengths(void)
{
	char name[TRACE_EVENT_NAME_MAX + 8], got[TRACE_EVENT_NAME_MAX + 8] = "";
	trace_event_id_t id, again;
	trace_id_t trid;

	memset(name, 'n', sizeof(name));
	name[TRACE_EVENT_NAME_MAX] = '\0';
	choice(RETURNS, posix_trace_eventid_open(name, &id) == 0, "a name as long as can be");
	need(posix_trace_eventid_open(name, &again));
	trid = stream(0, 0);
	check(DESCRIPTION, posix_trace_eventid_equal(trid, id, again), "has an id");
	need(posix_trace_eventid_get_name(trid, id, got));
	check(DESCRIPTION, strcmp(got, name) == 0, "by which it is found");
	need(posix_trace_shutdown(trid));
	name[TRACE_EVENT_NAME_MAX] = 'n';
	name[TRACE_EVENT_NAME_MAX + 1] = '\0';
	same(ERRORS, posix_trace_eventid_open(name, &id), ENAMETOOLONG,
	     "a longer one: ENAMETOOLONG");
}

/* What main() and the others have opened, and the unnamed one */
#define OPENED 6

/* Opens names until there are no more. Return: how many there were */
static unsigned int exhaust(trace_id_t trid)
{
	trace_event_id_t id;
	char name[32];
	unsigned int n;

	for (n = 0; n <= TRACE_USER_EVENT_MAX; n++) {
		snprintf(name, sizeof(name), "limit %u", n);
		need(posix_trace_eventid_open(name, &id));
		if (posix_trace_eventid_equal(trid, id, POSIX_TRACE_UNNAMED_USEREVENT))
			break;
	}
	return n;
}

static void too_many(void *argument)
{
	trace_id_t trid = started(0, 0);
	trace_event_id_t known = event("known"), id, again;
	unsigned int n = exhaust(trid);
	struct seen e;

	(void)argument;
	check("XBD <limits.h>", n + OPENED >= _POSIX_TRACE_USER_EVENT_MAX,
	      "there are %u more names", n);
	same(DESCRIPTION, n + OPENED, TRACE_USER_EVENT_MAX,
	     "with those of its parent they are as many as there may be");
	need(posix_trace_eventid_open("one more", &id));
	check(DESCRIPTION, posix_trace_eventid_equal(trid, id, POSIX_TRACE_UNNAMED_USEREVENT),
	      "one more is the unnamed one");
	need(posix_trace_eventid_open("known", &again));
	check(DESCRIPTION, posix_trace_eventid_equal(trid, known, again),
	      "a known name still has its id");
	tell(id, 42);
	check(DESCRIPTION, try_next(trid, &e) &&
	      posix_trace_eventid_equal(trid, e.info.posix_event_id,
					POSIX_TRACE_UNNAMED_USEREVENT) &&
	      number_of(&e) == 42, "the unnamed one can be told");
	need(posix_trace_shutdown(trid));
}

/* Names are known before any stream is. */
static void before_streams(void)
{
	trace_event_id_t early = event("early"), found;
	trace_id_t trid = stream(0, 0);
	char name[TRACE_EVENT_NAME_MAX + 1] = "";

	need(posix_trace_eventid_get_name(trid, early, name));
	check(DESCRIPTION, strcmp(name, "early") == 0, "a stream knows names older than itself");
	need(posix_trace_trid_eventid_open(trid, "early", &found));
	check(DESCRIPTION, posix_trace_eventid_equal(trid, early, found), "by the same id");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	trace_event_id_t a, b, again;
	trace_id_t trid;

	before_streams();
	same(RETURNS, posix_trace_eventid_open("a", &a), 0, "a name has an id");
	same(RETURNS, posix_trace_eventid_open("b", &b), 0, "and another");
	same(RETURNS, posix_trace_eventid_open("a", &again), 0, "and the one again");
	trid = stream(0, 0);
	check(DESCRIPTION, posix_trace_eventid_equal(trid, a, again), "the same name, the same id");
	check(DESCRIPTION, !posix_trace_eventid_equal(trid, a, b), "another name, another id");
	check(DESCRIPTION, !posix_trace_eventid_equal(trid, a, POSIX_TRACE_UNNAMED_USEREVENT),
	      "not that of the unnamed one");
	need(posix_trace_eventid_open("posix_trace_unnamed_userevent", &again));
	check("XSH 2.11.2", posix_trace_eventid_equal(trid, again, POSIX_TRACE_UNNAMED_USEREVENT),
	      "the unnamed one has its own name");
	need(posix_trace_trid_eventid_open(trid, "posix_trace_unnamed_userevent", &again));
	check("XSH 2.11.2", posix_trace_eventid_equal(trid, again, POSIX_TRACE_UNNAMED_USEREVENT),
	      "for the controller, too");
	need(posix_trace_shutdown(trid));
	lengths();
	in_good_child(too_many, NULL);
	return done();
}
