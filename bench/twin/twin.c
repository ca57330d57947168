// SPDX-License-Identifier: GPL-2.0
/*
 * twin.c - a program whose events are the same by ktrace and by LTTng-UST
 *
 * usage: twin EVENTS
 *
 * Two threads write EVENTS events each: a 64-bit and a 32-bit number and a short text, as
 * programs have: one that counts, one that varies, one of a few words. The thread works
 * for up to a microsecond between two of them. Built with -DTWIN_LTTNG it is the other twin.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(TWIN_LTTNG)
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "twin_tp.h"
#define EVENT(seq, value, name) lttng_ust_tracepoint(twin, event, seq, value, name)
#else
#include <ktrace/ktrace.h>
KTRACE_EVENT(twin, event, ktrace_u64(seq), ktrace_u32(value), ktrace_string(name));
#define EVENT(seq, value, name) ktrace(twin, event, seq, value, name)
#endif

static const char *const names[] = { "open", "read", "write", "close", "seek", "sync", "lock",
				     "unlock" };

static void *work(void *arg)
{
	uint64_t nr = *(const uint64_t *)arg, seq;
	uint32_t seed = 1;
	volatile uint32_t i;

	for (seq = 0; seq < nr; seq++) {
		seed = seed * 1103515245u + 12345u;
		for (i = 0; i < (seed >> 16) % 500; i++)
			;
		EVENT(seq, seed >> 20, names[(seed >> 8) % 8]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t nr = argc == 2 ? strtoull(argv[1], NULL, 0) : 0;
	pthread_t other;

	if (!nr) {
		fputs("usage: twin EVENTS\n", stderr);
		return 2;
	}
	if (pthread_create(&other, NULL, work, &nr))
		return 1;
	work(&nr);
	return pthread_join(other, NULL) ? 1 : 0;
}
