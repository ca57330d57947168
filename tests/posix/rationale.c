// SPDX-License-Identifier: GPL-2.0
/*
 * rationale.c - what the programs of XRAT B.2.11 do
 *
 * Written from their description: a controller with a log, one that stops in between and
 * filters, an instrumented program, two analysers, attributes, a filter of a set, what a log
 * tells of itself, the list of its types, tracing of single threads.
 */
#include "suite.h"

#include <sys/wait.h>

#define PAGE "XRAT B.2.11"

/* The instrumented program: waits for the controller, tells two events, twice */
static pid_t instrumented(int *go)
{
	trace_event_id_t first, second;
	int ends[2];
	pid_t pid;
	char c;

	need(pipe(ends) ? errno : 0);
	pid = fork();
	need(pid < 0 ? errno : 0);
	if (pid == 0) {
		close(ends[1]);
		posix_trace_eventid_open("my_first_event", &first);
		posix_trace_eventid_open("my_second_event", &second);
		while (read(ends[0], &c, 1) == 1) {
			posix_trace_event(first, NULL, 0);
			posix_trace_event(second, "\x01\xab", 2);
		}
		_exit(0);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

/* finish - the program does @rounds more of them, and ends */
static void finish(pid_t pid, int go, int rounds)
{
	for (int i = 0; i < rounds; i++)
		need(write(go, "", 1) == 1 ? 0 : EIO);
	close(go);
	waitpid(pid, NULL, 0);
}

/* The first controller: all by default */
static void first_controller(int fd)
{
	trace_attr_t attr;
	trace_id_t trid;
	int go;
	pid_t pid = instrumented(&go);

	need(posix_trace_attr_init(&attr));
	same(PAGE, posix_trace_create_withlog(pid, &attr, fd, &trid), 0,
	     "a log of another process is made");
	need(posix_trace_attr_destroy(&attr));
	same(PAGE, posix_trace_start(trid), 0, "the stream is started");
	finish(pid, go, 2);
	same(PAGE, posix_trace_shutdown(trid), 0, "it is shut down when the process has ended");
}

/* The first analyser: prints the names of a log's events */
static void first_analyser(int fd)
{
	trace_id_t trid = reopened(fd);
	char name[TRACE_EVENT_NAME_MAX + 1], names[1024] = "";
	struct posix_trace_event_info info;
	size_t len;
	int none;

	for (;;) {
		need(posix_trace_getnext_event(trid, &info, NULL, 0, &len, &none));
		if (none)
			break;
		need(posix_trace_eventid_get_name(trid, info.posix_event_id, name));
		strcat(strcat(names, " "), name);
	}
	check(PAGE, !strcmp(names,
			    " posix_trace_start my_first_event my_second_event my_first_event "
			    "my_second_event posix_trace_stop") ||
	      !strcmp(names, " posix_trace_start my_first_event my_second_event my_first_event "
		      "my_second_event"), "the log's events by their names:%s", names);
	same(PAGE, posix_trace_close(trid), 0, "it is closed");
}

/* The second analyser: data in hexadecimal, too */
static void second_analyser(int fd)
{
	trace_id_t trid = reopened(fd);
	char name[TRACE_EVENT_NAME_MAX + 1], hex[64], found[64] = "";
	struct seen e;

	while (log_next(trid, &e)) {
		need(posix_trace_eventid_get_name(trid, e.info.posix_event_id, name));
		hex[0] = '\0';
		for (size_t i = 0; i < e.len && i < 16; i++)
			sprintf(hex + 2 * i, "%02X", e.data[i]);
		if (!strcmp(name, "my_second_event"))
			strcpy(found, hex);
	}
	check(PAGE, !strcmp(found, "01AB"), "data in hexadecimal: %s", found);
	need(posix_trace_close(trid));
}

/* What a log tells of itself */
static void of_itself(int fd)
{
	trace_id_t trid = reopened(fd);
	struct posix_trace_status_info s;
	char version[TRACE_NAME_MAX] = "";
	trace_attr_t attr;
	size_t size = 0;

	need(posix_trace_attr_init(&attr));
	same(PAGE, posix_trace_get_status(trid, &s), 0, "a log has a status");
	same(PAGE, s.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN, "nothing was lost");
	same(PAGE, posix_trace_get_attr(trid, &attr), 0, "it has attributes");
	need(posix_trace_attr_getgenversion(&attr, version));
	check(PAGE, version[0], "it says who made it: %s", version);
	need(posix_trace_attr_getmaxdatasize(&attr, &size));
	check(PAGE, size > 0, "it says how long data can be: %zu", size);
	need(posix_trace_attr_destroy(&attr));
	need(posix_trace_close(trid));
}

/* The types of a log */
static void types(int fd)
{
	trace_id_t trid = reopened(fd);
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id;
	int none, first = 0, second = 0, n = 0;

	for (;;) {
		need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
		if (none)
			break;
		need(posix_trace_eventid_get_name(trid, id, name));
		first += !strcmp(name, "my_first_event");
		second += !strcmp(name, "my_second_event");
		n++;
	}
	check(PAGE, first == 1 && second == 1 && n >= 11, "the list of %d types has both events",
	      n);
	need(posix_trace_close(trid));
}

/* The second controller: attributes, a filter, a pause */
static void second_controller(void)
{
	trace_attr_t attr;
	trace_id_t trid;
	int fd = new_file(), go, member;
	trace_event_id_t first, second;
	trace_event_set_t set;
	pid_t pid = instrumented(&go);

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setname(&attr, "my_trace"));
	need(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP));
	need(posix_trace_attr_setlogsize(&attr, 100000));
	need(posix_trace_create_withlog(pid, &attr, fd, &trid));
	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_fill(&set, POSIX_TRACE_WOPID_EVENTS));
	need(posix_trace_trid_eventid_open(trid, "my_first_event", &first));
	need(posix_trace_eventset_add(first, &set));
	need(posix_trace_trid_eventid_open(trid, "my_second_event", &second));
	need(posix_trace_eventset_del(POSIX_TRACE_ERROR, &set));
	same(PAGE, posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), 0,
	     "a filter of a set is set before the start");
	need(posix_trace_get_filter(trid, &set));
	need(posix_trace_eventset_ismember(first, &set, &member));
	check(PAGE, member, "the first event is in it");
	need(posix_trace_start(trid));
	need(posix_trace_stop(trid));
	need(posix_trace_start(trid));
	finish(pid, go, 1);
	need(posix_trace_stop(trid));
	need(posix_trace_get_attr(trid, &attr));
	same(PAGE, posix_trace_shutdown(trid), 0, "a stream that was stopped is shut down");
	need(posix_trace_attr_destroy(&attr));
	trid = reopened(fd);
	tells(PAGE, trid, RECORDED, "START STOP START my_second_event STOP",
	      "the log has what the filter leaves");
	need(posix_trace_close(trid));
	close(fd);
}

static pthread_key_t traced;
static trace_event_id_t mine;

static void *worker(void *flag)
{
	pthread_setspecific(traced, flag);
	if (pthread_getspecific(traced))
		tell(mine, 1);
	return NULL;
}

/* PTRC-34: A flag of the thread says whether it is traced. */
static void single_threads(void)
{
	trace_id_t trid = started(0, 0);
	pthread_t thread[4];

	mine = event("mine");
	need(pthread_key_create(&traced, NULL));
	for (int i = 0; i < 4; i++)
		need(pthread_create(&thread[i], NULL, worker, i % 2 ? &mine : NULL));
	for (int i = 0; i < 4; i++)
		need(pthread_join(thread[i], NULL));
	tells(PAGE, trid, ACTIVE, "mine mine", "the threads that have the flag are traced");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	int fd = new_file();

	first_controller(fd);
	first_analyser(fd);
	second_analyser(fd);
	of_itself(fd);
	types(fd);
	second_controller();
	single_threads();
	close(fd);
	return done();
}
