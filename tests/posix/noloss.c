// SPDX-License-Identifier: GPL-2.0
/*
 * noloss.c - events whose sizes sum up to no more than stream-min-size are all recorded, that is
 * to no more than the stream says that it has
 *
 * XSH posix_trace_attr_getlogsize, of the sizes that posix_trace_attr_getmaxusereventsize() and
 * posix_trace_attr_getmaxsystemeventsize() say. Whichever CPUs they are told on.
 *
 * PTRC-10
 */
#include "suite.h"

#define SIZES "XSH posix_trace_attr_getlogsize, DESCRIPTION"

static trace_event_id_t id;
static unsigned char bytes[SEEN_DATA];

/* What is told besides equal events on one CPU */
struct mix {
	unsigned int seed;	/* other sizes */
	bool moves;		/* on other CPUs */
	bool has_filters;	/* FILTER, half of what there is room for */
	uint64_t filters;	/* so many of them were told */
};

/* fits - tells events until no other fits the guarantee. Return: how many */
static uint64_t fits(const trace_attr_t *attr, size_t size, struct mix *m, trace_id_t t)
{
	size_t used, one, len;
	trace_event_set_t none;
	uint64_t n = 0;

	need(posix_trace_attr_getmaxsystemeventsize(attr, &one));
	need(posix_trace_eventset_empty(&none));
	m->filters = m->has_filters ? size / one / 2 : 0;
	for (uint64_t i = 0; i < m->filters; i++)
		need(posix_trace_set_filter(t, &none, POSIX_TRACE_SET_EVENTSET));
	used = (1 + m->filters) * one;	/* START, too */
	for (;;) {
		len = sizeof(n) + (m->seed ? rand_r(&m->seed) % 200 : 0);
		need(posix_trace_attr_getmaxusereventsize(attr, len, &one));
		if (used + one > size)
			return n;
		used += one;
		memcpy(bytes, &n, sizeof(n));
		if (m->moves)
			on_cpu(n);
		posix_trace_event(id, bytes, len);
		n++;
	}
}

static void filled(int policy, size_t size, struct mix m)
{
	trace_attr_t attr;
	trace_id_t t;
	struct seen e;
	uint64_t told, n = 0, filters = 0, wrong = 0, number;

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setmaxdatasize(&attr, 256));
	need(posix_trace_attr_setstreamsize(&attr, size));
	need(posix_trace_attr_setstreamfullpolicy(&attr, policy));
	need(posix_trace_create(0, &attr, &t));
	need(posix_trace_get_attr(t, &attr));
	need(posix_trace_attr_getstreamsize(&attr, &size));
	on_cpu(0);
	need(posix_trace_start(t));
	told = fits(&attr, size, &m, t);
	same(SIZES, status(t).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "%zu bytes, policy %d, %s sizes, %s%s: nothing is lost", size, policy,
	     m.seed ? "mixed" : "equal", m.moves ? "all CPUs" : "one CPU",
	     m.has_filters ? ", and FILTER" : "");
	while (try_next(t, &e)) {
		filters += posix_trace_eventid_equal(t, e.info.posix_event_id, POSIX_TRACE_FILTER);
		if (!posix_trace_eventid_equal(t, e.info.posix_event_id, id))
			continue;
		memcpy(&number, e.data, sizeof(number));
		wrong += number != n++;
	}
	same(SIZES, n, told, "all events are read");
	same(SIZES, wrong, 0, "in order");
	same(SIZES, filters, m.filters, "those of the system, too");
	need(posix_trace_shutdown(t));
	need(posix_trace_attr_destroy(&attr));
}

int main(void)
{
	static const size_t sizes[] = { 4096, 10000, 65536 };
	static const int policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL };

	id = event("fits");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int p = 0; p < 2; p++) {
			filled(policies[p], sizes[i], (struct mix){ .seed = 0 });
			filled(policies[p], sizes[i], (struct mix){ .seed = 7 + i });
			filled(policies[p], sizes[i], (struct mix){ .moves = true });
			filled(policies[p], sizes[i], (struct mix){ .seed = 17 + i,
								   .moves = true });
			filled(policies[p], sizes[i], (struct mix){ .seed = 27 + i, .moves = true,
								   .has_filters = true });
		}
	}
	return done();
}
