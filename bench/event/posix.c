// SPDX-License-Identifier: GPL-2.0
/* posix.c - posix_trace_event() with 16 bytes of data */
#include "posix.h"

#include <pthread.h>
#include <trace.h>

/* All of its ring is in the caches after one round. */
#define STREAM_SIZE (RING_SIZE / 16)

struct data {
	uint64_t a;
	uint32_t b, c;
};

static trace_event_id_t event;
static trace_id_t trid;

static inline __attribute__((always_inline)) void tell(uint64_t i)
{
	const struct data data = { i, (uint32_t)i + 1, (uint32_t)i + 2 };

	posix_trace_event(event, &data, sizeof(data));
}

EVENT_LOOPS(posix, tell(i));

bool posix_begin(void)
{
	trace_attr_t attr;
	bool is_good;

	if (posix_trace_eventid_open("bench", &event) || posix_trace_attr_init(&attr))
		return false;
	is_good = !posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP) &&
		  !posix_trace_attr_setstreamsize(&attr, STREAM_SIZE) &&
		  !posix_trace_create(0, &attr, &trid) && !posix_trace_start(trid);
	posix_trace_attr_destroy(&attr);
	return is_good;
}

static void *other(void *arg)
{
	(void)arg;
	tell(0);
	return NULL;
}

bool posix_share(void)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, other, NULL) && !pthread_join(thread, NULL);
}

void posix_end(void)
{
	posix_trace_shutdown(trid);
}
