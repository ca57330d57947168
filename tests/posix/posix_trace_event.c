// SPDX-License-Identifier: GPL-2.0
#include "suite.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#define PAGE "XSH posix_trace_event"

static trace_event_id_t id;

/* PTRC-51 */
CALLER info(void)
{
	void (*volatile function)(trace_event_id_t, const void *, size_t) = posix_trace_event;
	trace_id_t trid = started(0, 0);
	struct timespec before, after;
	struct seen e = { 0 };

	clock_gettime(CLOCK_REALTIME, &before);
	posix_trace_event(id, "data", 4);
	clock_gettime(CLOCK_REALTIME, &after);
	check(DESCRIPTION, try_next(trid, &e), "an event is recorded");
	check("XSH 2.11.1", posix_trace_eventid_equal(trid, e.info.posix_event_id, id),
	      "of its type");
	same("XSH 2.11.1", e.info.posix_pid, getpid(), "with the process");
	check("XSH 2.11.1", pthread_equal(e.info.posix_thread_id, pthread_self()), "the thread");
	check("XSH 2.11.1", is_called_in(&e, (void *)info), "the address of the call");
	check("posix_trace(7)", e.info.posix_timestamp.tv_sec >= before.tv_sec - 1 &&
	      e.info.posix_timestamp.tv_sec <= after.tv_sec + 1, "the time, of CLOCK_REALTIME");
	same("XSH 2.11.1", e.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED, "not cut");
	check(DESCRIPTION, e.len == 4 && memcmp(e.data, "data", 4) == 0, "and the data");
	posix_trace_event(id, (unsigned char []){ 7, 8, 9 }, 3);
	check("XSH 2.1.1", try_next(trid, &e) && e.len == 3 && memcmp(e.data, "\7\10\11", 3) == 0,
	      "arguments may have commas, as it were a function");
	posix_trace_event(id, NULL, 0);
	check(DESCRIPTION, try_next(trid, &e) && e.len == 0, "data may be missing");
	function(id, "data", 4);
	check("XSH 2.1.1", try_next(trid, &e) && e.len == 4, "it is a function, too");
	check("XSH 2.11.1", is_called_in(&e, (void *)info), "whose caller is told");
	need(posix_trace_shutdown(trid));
}

static void opens(void *argument)
{
	*(trace_event_id_t *)argument = event("of another process");
}

/* Ids that there are, but not for this process */
static void bad_ids(trace_id_t trid)
{
	trace_event_id_t *theirs = mmap(NULL, sizeof(*theirs), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0), asked;

	need(theirs == MAP_FAILED ? errno : 0);
	for (trace_event_id_t i = POSIX_TRACE_START; i <= POSIX_TRACE_FLUSH_STOP; i++)
		tell(i, 1);
	tells("posix_trace(7)", trid, ACTIVE, "", "nor with one of the system");
	in_good_child(opens, theirs);
	tell(*theirs, 1);
	tells("posix_trace(7)", trid, ACTIVE, "", "nor with one that another process has opened");
	need(posix_trace_trid_eventid_open(trid, "asked for", &asked));
	tell(asked, 1);
	tells("posix_trace(7)", trid, ACTIVE, "", "nor with one that its controller has asked for");
	event("of another process");
	event("asked for");
	tell(*theirs, 1);
	tell(asked, 1);
	tells("posix_trace(7)", trid, ACTIVE, "of another process asked for",
	      "until this process has opened them");
	munmap(theirs, sizeof(*theirs));
}

/* PTRC-50: Where it does nothing */
static void no_effect(void)
{
	trace_id_t trid;
	trace_event_set_t set;
	int evaluated = 0;

	tell(id, 1);
	check(DESCRIPTION, true, "without a stream nothing happens");
	posix_trace_event(id, &evaluated, (evaluated++, sizeof(evaluated)));
	same("XSH 2.1.1", evaluated, 1, "arguments are evaluated once, then too");
	trid = stream(0, 0);
	tell(id, 1);
	tells(DESCRIPTION, trid, ACTIVE, "", "nor with one that does not run");
	need(posix_trace_eventset_empty(&set));
	need(posix_trace_eventset_add(id, &set));
	need(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET));
	need(posix_trace_start(trid));
	drain(trid);
	tell(id, 1);
	tells(DESCRIPTION, trid, ACTIVE, "", "nor with a filter that has it");
	need(posix_trace_set_filter(trid, &set, POSIX_TRACE_SUB_EVENTSET));
	drain(trid);
	tell((trace_event_id_t)-1, 1);
	tell(0, 1);
	tells("posix_trace(7)", trid, ACTIVE, "", "nor with an id that is none");
	bad_ids(trid);
	need(posix_trace_shutdown(trid));
}

static volatile sig_atomic_t handled;

static void handler(int number)
{
	int error = errno;

	(void)number;
	tell(id, 1000000 + (uint64_t)handled++);
	errno = error;
}

/* PTRC-50: A handler interrupts it anywhere, itself included. */
static void in_handlers(void)
{
	trace_id_t trid = started(POSIX_TRACE_LOOP, 1 << 22);
	struct itimerval every = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
	uint64_t n = 0, own = 0, theirs = 0, wrong = 0, number;
	struct seen e;

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	while ((handled < 50 || n < 2000) && n < 20000) {
		tell(id, n++);
		if (n > 2000)
			pause_ms(1);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	while (try_next(trid, &e)) {
		number = number_of(&e);
		if (number < 1000000)
			wrong += number != own++;
		else
			wrong += number != 1000000 + theirs++;
	}
	same("XSH 2.4.3", own, n, "no event of the program is lost by signals");
	same("XSH 2.4.3", theirs, handled, "nor of the handler");
	same("XSH 2.4.3", wrong, 0, "all are in order and whole");
	need(posix_trace_shutdown(trid));
}

static volatile sig_atomic_t is_enough;
static trace_event_id_t other;

static void other_handler(int number)
{
	(void)number;
	tell(other, (uint64_t)handled++);
	is_enough = handled > 500;
}

/* only_of - all of a stream is of one type, numbered from 0 on */
static void only_of(trace_id_t trid, trace_event_id_t type, uint64_t told, const char *what)
{
	uint64_t n = 0, wrong = 0;
	struct seen e;

	need(posix_trace_stop(trid));
	while (try_next(trid, &e)) {
		if (e.info.posix_event_id < POSIX_TRACE_UNNAMED_USEREVENT)
			continue;
		wrong += !posix_trace_eventid_equal(trid, e.info.posix_event_id, type) ||
			 number_of(&e) != n;
		n++;
	}
	same(DESCRIPTION, n, told, "%s: all events are in their stream", what);
	same(DESCRIPTION, wrong, 0, "%s: and no other is", what);
}

/* The program's events go to the first of many streams, those of its handler to the last one. */
static void handlers_elsewhere(void)
{
	struct itimerval every = { { 0, 20 }, { 0, 20 } }, never = { { 0, 0 }, { 0, 0 } };
	trace_event_set_t of_program, of_handler;
	trace_id_t trid[9];
	uint64_t n = 0;

	other = event("of the handler");
	handled = 0;
	need(posix_trace_eventset_empty(&of_program));
	need(posix_trace_eventset_add(id, &of_program));
	need(posix_trace_eventset_empty(&of_handler));
	need(posix_trace_eventset_add(other, &of_handler));
	for (int i = 0; i < 9; i++) {
		trid[i] = stream(POSIX_TRACE_LOOP, i % 8 ? 0 : 1 << 22);
		need(posix_trace_set_filter(trid[i], i ? &of_program : &of_handler,
					    POSIX_TRACE_SET_EVENTSET));
		if (i && i < 8)
			need(posix_trace_set_filter(trid[i], &of_handler,
						    POSIX_TRACE_ADD_EVENTSET));
		need(posix_trace_start(trid[i]));
	}
	signal(SIGALRM, other_handler);
	setitimer(ITIMER_REAL, &every, NULL);
	while (!is_enough && n < 80000)
		tell(id, n++);
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	only_of(trid[0], id, n, "program");
	only_of(trid[8], other, (uint64_t)handled, "handler");
	for (int i = 0; i < 9; i++)
		need(posix_trace_shutdown(trid[i]));
}

int main(void)
{
	id = event("told");
	no_effect();
	info();
	in_handlers();
	handlers_elsewhere();
	return done();
}
