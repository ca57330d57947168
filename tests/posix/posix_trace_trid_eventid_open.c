// SPDX-License-Identifier: GPL-2.0
/* PTRC-55 */
#include "suite.h"

#include <signal.h>
#include <sys/wait.h>

#define PAGE "XSH posix_trace_trid_eventid_open"

/* The program opens the name when the controller has. */
static void other_side(void)
{
	int go[2], back[2];
	trace_event_id_t ours, theirs;
	trace_id_t trid;
	pid_t pid;
	char c;

	need(pipe(go) || pipe(back) ? errno : 0);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &c, 1) != 1 || posix_trace_eventid_open("shared", &theirs) ||
		    write(back[1], &theirs, sizeof(theirs)) != sizeof(theirs))
			_exit(1);
		tell(theirs, 7);
		_exit(write(back[1], &theirs, sizeof(theirs)) != sizeof(theirs) ||
		      read(go[0], &c, 1) != 1);
	}
	need(posix_trace_create(pid, NULL, &trid));
	need(posix_trace_start(trid));
	drain(trid);
	same(RETURNS, posix_trace_trid_eventid_open(trid, "shared", &ours), 0,
	     "a name that the program has not opened");
	need(write(go[1], "", 1) == 1 ? 0 : errno);
	need(read(back[0], &theirs, sizeof(theirs)) == sizeof(theirs) ? 0 : EIO);
	check(DESCRIPTION, posix_trace_eventid_equal(trid, ours, theirs),
	      "it has the same id for the program later");
	need(read(back[0], &theirs, sizeof(theirs)) == sizeof(theirs) ? 0 : EIO);
	tells(DESCRIPTION, trid, ACTIVE, "shared", "by which its events have a name");
	need(posix_trace_shutdown(trid));
	need(write(go[1], "", 1) == 1 ? 0 : errno);
	waitpid(pid, NULL, 0);
	close(go[0]);
	close(go[1]);
	close(back[0]);
	close(back[1]);
}

/* However many names the program opens, the controller's are known. */
static void beyond_the_limit(void *argument)
{
	trace_id_t trid = started(0, 0);
	trace_event_id_t early, id;
	char name[32];

	(void)argument;
	need(posix_trace_trid_eventid_open(trid, "early", &early));
	for (unsigned int n = 0; n < TRACE_USER_EVENT_MAX; n++) {
		snprintf(name, sizeof(name), "limit %u", n);
		need(posix_trace_eventid_open(name, &id));
	}
	check(DESCRIPTION, posix_trace_eventid_equal(trid, id, POSIX_TRACE_UNNAMED_USEREVENT),
	      "the program has as many names as it may");
	need(posix_trace_eventid_open("early", &id));
	check("XSH posix_trace_eventid_open", posix_trace_eventid_equal(trid, id, early),
	      "one that the controller had opened has its id");
	tell(id, 1);
	tells(DESCRIPTION, trid, ACTIVE, "early", "by which its events have a name");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	trace_id_t trid = stream(0, 0), second = stream(0, 0);
	char name[TRACE_EVENT_NAME_MAX + 2];
	trace_event_id_t own = event("own"), a, b;

	same(RETURNS, posix_trace_trid_eventid_open(trid, "own", &a), 0, "a name of the program");
	check(DESCRIPTION, posix_trace_eventid_equal(trid, own, a), "it has the program's id");
	same(RETURNS, posix_trace_trid_eventid_open(trid, "new", &a), 0, "a new name");
	need(posix_trace_trid_eventid_open(second, "new", &b));
	check("XRAT B.2.11", posix_trace_eventid_equal(trid, a, b),
	      "by another stream of the process it has the same id");
	need(posix_trace_eventid_open("new", &b));
	check(DESCRIPTION, posix_trace_eventid_equal(trid, a, b), "and for the process itself");
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	same(ERRORS, posix_trace_trid_eventid_open(trid, name, &a), ENAMETOOLONG,
	     "a name too long: ENAMETOOLONG");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_trid_eventid_open(trid, "own", &a), EINVAL,
	     "a stream that was shut down: EINVAL");
	need(posix_trace_shutdown(second));
	other_side();
	in_good_child(beyond_the_limit, NULL);
	return done();
}
