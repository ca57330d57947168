// SPDX-License-Identifier: GPL-2.0
/*
 * lttng_program.c - records the same numbers by LTTng-UST and by ktrace, in turn
 *
 * usage: lttng_program NUMBER. Before that, events with fields of each kind, of two threads.
 */
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_tp.h"

#include <ktrace/ktrace.h>
#include <pthread.h>
#include <stdlib.h>

KTRACE_EVENT(demo, ours, ktrace_u32(n));

static void *run(void *arg)
{
	pthread_setname_np(pthread_self(), "second");
	for (int i = 0; i < 20; i++)
		lttng_ust_tracepoint(demo, all, i, "from thread", (float)i / 2);
	return arg;
}

int main(int argc, char **argv)
{
	unsigned int nr = argc > 1 ? (unsigned int)atoi(argv[1]) : 20;
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	for (int i = 0; i < 20; i++) {
		lttng_ust_tracepoint(demo, all, i, "hello \"x\"\n", (float)i * 1.5f);
		lttng_ust_tracepoint(demo, none);
	}
	pthread_join(thread, NULL);
	for (unsigned int i = 0; i < nr; i++) {
		ktrace(demo, ours, i);
		lttng_ust_tracepoint(demo, pair, i);
	}
	return 0;
}
