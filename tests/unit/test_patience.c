// SPDX-License-Identifier: GPL-2.0
/*
 * test_patience.c - waits for room: what goes on meanwhile, and when the next one begins
 *
 * What broke: an event in several fragments blocked signals for as long as each of them
 * waited. Here it is a signal handler that makes room: the event is recorded if the handler
 * runs before the wait is over, and lost otherwise. And while the reader hung, each event
 * waited anew, so that a program made one step in half a minute.
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "../../userspace/lib/writer/thread.h"
#include "own_channel.h"

static struct kt_reader reader;

static void on_timer(int sig)
{
	struct kt_chunk c;

	(void)sig;
	while (kt_reader_peek(&reader, true, &c))
		kt_reader_advance(&reader, &c);
}

/* Writes an event; returns how long that took. */
static __u64 write_ms(void)
{
	const __u64 begin = kt_clock(KTRACE_CLOCK_MONOTONIC);

	write_event(3500);
	return (kt_clock(KTRACE_CLOCK_MONOTONIC) - begin) / 1000000;
}

static void test_stall(const struct ktrace_lost *lost)
{
	const __u64 *timeouts = &lost->count[KTRACE_LOST_TIMEOUT];
	const __u64 limit = own_channel->timeout_ms = 1000;
	struct kt_chunk c;
	__u64 round, ms;
	int i;

	for (round = 1; round <= 2; round++) {
		do {
			ms = write_ms();
		} while (*timeouts < 31 * (round - 1) + 1);
		assert(ms >= limit);
		for (i = 0, ms = 0; i < 30; i++)
			ms += write_ms();
		/* Half a minute if each waits */
		assert(ms < limit && *timeouts == 31 * round);
		/* Room for the next round, in which the thread waits again */
		assert(kt_reader_peek(&reader, true, &c));
		kt_reader_advance(&reader, &c);
	}
}

int main(void)
{
	const struct itimerval once = { { 0, 0 }, { 0, 10000 } };
	const struct ktrace_lost *lost;
	struct kt_ring ring;
	unsigned int i;

	make_channel();
	thread_init_process();
	channel_thread_ring(own_channel, 0, &ring);
	kt_reader_init(&reader, &ring);
	lost = &ring.w->lost;
	for (i = 0; i < 4; i++)
		write_event(3500);
	assert(!lost->count[KTRACE_LOST_TIMEOUT] && kt_reader_unread(&reader) > 3 * BLOCK);
	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &once, NULL);
	write_event(6000);
	assert(!lost->count[KTRACE_LOST_TIMEOUT]);
	on_timer(0);
	assert(reader.records == 6);
	test_stall(lost);
	puts("ok");
	return 0;
}
