// SPDX-License-Identifier: GPL-2.0
/*
 * overrun.c - a stream that overwrites: what is left, and what OVERFLOW and RESUME say of the rest
 *
 * XSH 2.11.1, 2.11.2: OVERFLOW has the stamp of the first event that was overwritten, RESUME that
 * of the first valid one behind it.
 *
 * PTRC-40, PTRC-52
 */
#include "suite.h"

#define MARKS "XSH 2.11.2"
#define APART_MS 40

static trace_event_id_t id;
static struct timespec before, after;
static bool moves;	/* from CPU to CPU, who tells and who reads */

static long long ns(const struct timespec *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

/* alone - one event, which no other is near; @before and @after are when it was told */
static void alone(uint64_t number)
{
	pause_ms(APART_MS);
	clock_gettime(CLOCK_REALTIME, &before);
	tell(id, number);
	clock_gettime(CLOCK_REALTIME, &after);
	pause_ms(APART_MS);
}

static bool is_system(const struct seen *e, trace_event_id_t type)
{
	return e->info.posix_event_id == type && e->len == 0 && e->info.posix_pid == 0;
}

static void move(uint64_t n)
{
	if (moves)
		on_cpu(n / 16 % 2);
}

/* marked - OVERFLOW, with the stamp of the event that was told alone, then RESUME, then @e */
static void marked(trace_id_t trid, struct seen *e)
{
	const long long half = APART_MS * 500000ll;
	struct seen resume;

	check(MARKS, try_next(trid, e) && is_system(e, POSIX_TRACE_OVERFLOW),
	      "OVERFLOW comes first: of no process, without data");
	check(MARKS, ns(&e->info.posix_timestamp) > ns(&before) - half &&
	      ns(&e->info.posix_timestamp) < ns(&after) + half,
	      "its stamp is that of the first event that was overwritten");
	check(MARKS, try_next(trid, &resume) && is_system(&resume, POSIX_TRACE_RESUME),
	      "RESUME comes next: of no process, without data");
	check(MARKS, try_next(trid, e) && e->info.posix_event_id == id &&
	      ns(&e->info.posix_timestamp) == ns(&resume.info.posix_timestamp),
	      "its stamp is that of the event behind it");
}

/* newest - from @e on there is each event up to the last one, and nothing else */
static void newest(trace_id_t trid, struct seen *e, uint64_t end)
{
	uint64_t next = number_of(e) + 1, wrong = 0;

	while (try_next(trid, e)) {
		wrong += e->info.posix_event_id != id || number_of(e) != next++;
		move(next);
	}
	same(MARKS, wrong, 0, "what is left has no gap");
	same(MARKS, next, end, "and is the newest");
}

static void overwritten(trace_id_t trid, uint64_t first, uint64_t end)
{
	struct seen e;

	alone(first);
	for (uint64_t n = first + 1; n < end; n++) {
		move(n);
		tell(id, n);
	}
	is_in("XSH 2.11.1", trid, POSIX_TRACE_RUNNING, POSIX_TRACE_FULL, "it runs, and is full");
	marked(trid, &e);
	check(MARKS, number_of(&e) > first, "the oldest events have given way");
	newest(trid, &e, end);
}

/* PTRC-49: However often it is overwritten, its attributes and names are not. */
static void a_thousand_times(trace_id_t trid, uint64_t fits)
{
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	trace_attr_t attr;

	for (uint64_t n = 0; n < often(1000) * fits; n++)
		tell(id, n);
	same("XSH 2.11", posix_trace_eventid_get_name(trid, id, name), 0,
	     "a type of a stream that was overwritten many times has its name");
	check("XSH 2.11", !strcmp(name, "one of many"), "the one that it had");
	need(posix_trace_get_attr(trid, &attr));
	need(posix_trace_attr_getname(&attr, name));
	check("XSH 2.11", !strcmp(name, ""), "the stream has its attributes");
	need(posix_trace_attr_destroy(&attr));
	status(trid);
	drain(trid);
}

/* Events of the system that nobody reads give way, too. Meanwhile OVERFLOW is read, RESUME not. */
static void of_the_system(void)
{
	trace_id_t trid = stream(POSIX_TRACE_LOOP, SMALL);
	struct seen e;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 100; i++) {
			need(posix_trace_start(trid));
			need(posix_trace_stop(trid));
		}
		check(MARKS, try_next(trid, &e) &&
		      is_system(&e, round ? POSIX_TRACE_RESUME : POSIX_TRACE_OVERFLOW),
		      round ? "RESUME ends the gap, however it has grown" : "OVERFLOW begins it");
	}
	check(MARKS, try_next(trid, &e) && !is_system(&e, POSIX_TRACE_OVERFLOW),
	      "there is one gap");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	trace_id_t trid = started(POSIX_TRACE_LOOP, SMALL);
	uint64_t fits;

	id = event("one of many");
	fits = fill(trid, id, 0);
	drain(trid);
	status(trid);
	overwritten(trid, 0, 3 * fits);
	same("XSH posix_trace_get_status", status(trid).posix_stream_overrun_status,
	     POSIX_TRACE_NO_OVERRUN, "the overrun was told before");
	overwritten(trid, 3 * fits, 6 * fits);
	moves = true;
	overwritten(trid, 6 * fits, 12 * fits);	/* as much for each of two CPUs */
	a_thousand_times(trid, fits);
	need(posix_trace_shutdown(trid));
	of_the_system();
	return done();
}
