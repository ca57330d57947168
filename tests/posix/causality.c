// SPDX-License-Identifier: GPL-2.0
/*
 * causality.c - an event that caused another is read before it, whichever CPUs they were on
 *
 * XSH posix_trace_getnext_event: events are reported in the order in which they were generated.
 * Threads and processes tell events in turn; each sees its predecessor's turn first. One of them
 * is the one that has made the stream.
 *
 * PTRC-70
 */
#include "suite.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define PAGE "XSH posix_trace_getnext_event"
#define TELLERS 2
#define ROUNDS 40000
#define SECONDS 2	/* at most: a machine with too few CPUs for its guests takes long */
#define SPINS 1000	/* nothing but loads between being told and telling */

/* Everybody's turn, and where they end */
static atomic_uint *turn, *end;
static trace_event_id_t id;
static cpu_set_t all;

static void go_to(unsigned int who)
{
	cpu_set_t one;
	unsigned int n = 0;

	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && n++ % TELLERS == who % CPU_COUNT(&all))
			CPU_SET(cpu, &one);
	if (CPU_COUNT(&one))
		sched_setaffinity(0, sizeof(one), &one);
}

static void take_turns(unsigned int who)
{
	const time_t last = time(NULL) + SECONDS;
	unsigned int now, spins = 0;

	go_to(who);
	while ((now = atomic_load_explicit(turn, memory_order_acquire)) < atomic_load(end)) {
		if (now % TELLERS != who) {
			if (++spins % SPINS == 0)
				sched_yield();
			continue;
		}
		tell(id, now);
		if (time(NULL) > last)
			atomic_store(end, now + 1);
		atomic_store_explicit(turn, now + 1, memory_order_release);
	}
}

static void *teller(void *who)
{
	take_turns((uintptr_t)who);
	return NULL;
}

/* What was read: how many turns, how many of them not in turn, or with a stamp that goes back */
struct order {
	uint64_t n, wrong, back;
};

static struct order read_all(trace_id_t trid)
{
	struct order o = { 0 };
	struct timespec last = { 0, 0 };
	struct seen e;

	while (try_next(trid, &e)) {
		if (!posix_trace_eventid_equal(trid, e.info.posix_event_id, id))
			continue;
		o.wrong += number_of(&e) != o.n++;
		o.back += e.info.posix_timestamp.tv_sec < last.tv_sec ||
			  (e.info.posix_timestamp.tv_sec == last.tv_sec &&
			   e.info.posix_timestamp.tv_nsec < last.tv_nsec);
		last = e.info.posix_timestamp;
	}
	return o;
}

/* in_order - each number once, in order */
static void in_order(trace_id_t trid, const char *what)
{
	const struct order o = read_all(trid);

	same(DESCRIPTION, o.n, atomic_load(end), "%s: all events are read", what);
	same(DESCRIPTION, o.wrong, 0, "in the order of their turns");
	same(DESCRIPTION, o.back, 0, "and of their stamps");
}

/* One that is told out of turn among so many is found. */
static void found(void)
{
	trace_id_t trid = started(0, 4 << 20);

	for (unsigned int i = 0; i < often(ROUNDS); i++)
		tell(id, i ^ (i / 2 == 700));
	same("suite", read_all(trid).wrong, 2, "two events that are told out of turn are found");
	need(posix_trace_shutdown(trid));
}

static void threads(void)
{
	trace_id_t trid = started(0, 4 << 20);
	pthread_t thread[TELLERS];

	atomic_store(turn, 0);
	atomic_store(end, often(ROUNDS));
	for (uintptr_t i = 1; i < TELLERS; i++)
		need(pthread_create(&thread[i], NULL, teller, (void *)i));
	teller(NULL);
	for (int i = 1; i < TELLERS; i++)
		need(pthread_join(thread[i], NULL));
	in_order(trid, "threads");
	need(posix_trace_shutdown(trid));
}

static void processes(void)
{
	trace_attr_t attr;
	trace_id_t trid;
	pid_t pid[TELLERS];

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED));
	need(posix_trace_attr_setstreamsize(&attr, 4 << 20));
	need(posix_trace_create(0, &attr, &trid));
	need(posix_trace_start(trid));
	atomic_store(turn, 0);
	atomic_store(end, often(ROUNDS));
	fflush(stdout);
	for (int i = 1; i < TELLERS; i++) {
		pid[i] = fork();
		need(pid[i] < 0 ? errno : 0);
		if (pid[i] == 0) {
			take_turns(i);
			_exit(0);
		}
	}
	take_turns(0);
	for (int i = 1; i < TELLERS; i++)
		waitpid(pid[i], NULL, 0);
	in_order(trid, "processes");
	need(posix_trace_shutdown(trid));
}

int main(void)
{
	id = event("turn");
	turn = mmap(NULL, 2 * sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	need(turn == MAP_FAILED ? errno : 0);
	end = turn + 1;
	need(sched_getaffinity(0, sizeof(all), &all) ? errno : 0);
	found();
	threads();
	processes();
	return done();
}
