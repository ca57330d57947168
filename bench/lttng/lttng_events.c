// SPDX-License-Identifier: GPL-2.0
/*
 * lttng_events.c - the events of event/variants.c by LTTng-UST
 *
 * A shared object, which event_cost loads when it is there: LTTng is then measured in the
 * same process, between the repetitions of the others.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench_tp.h"

#include "lttng_events.h"

EVENT_LOOPS(lttng_0, lttng_ust_tracepoint(bench, e0));
EVENT_LOOPS(lttng_8, lttng_ust_tracepoint(bench, e8, i));
#define I32 ((uint32_t)i)
EVENT_LOOPS(lttng_16, lttng_ust_tracepoint(bench, e16, i, I32 + 1, I32 + 2));
EVENT_LOOPS(lttng_vtid, lttng_ust_tracepoint(bench, vtid16, i, I32 + 1, I32 + 2));
EVENT_LOOPS(lttng_64, lttng_ust_tracepoint(bench, e64, i, i + 1, i + 2, i + 3, i + 4, i + 5,
					   i + 6, i + 7));
EVENT_LOOPS(lttng_large, lttng_ust_tracepoint(bench, e1024, t->bytes));
EVENT_LOOPS(lttng_string, lttng_ust_tracepoint(bench, estring, t->text));
EVENT_LOOPS(lttng_off, lttng_ust_tracepoint(bench, off, i, I32 + 1, I32 + 2));
EVENT_LOOPS(lttng_filtered, lttng_ust_tracepoint(bench, filtered, i, I32 + 1, I32 + 2));

static bool are_enabled(void)
{
	return lttng_ust_tracepoint_enabled(bench, e0) &&
	       lttng_ust_tracepoint_enabled(bench, estring) &&
	       lttng_ust_tracepoint_enabled(bench, vtid16) &&
	       lttng_ust_tracepoint_enabled(bench, filtered) &&
	       !lttng_ust_tracepoint_enabled(bench, off);
}

const struct lttng_events lttng_events = {
	.payload = { &lttng_0_loops, &lttng_8_loops, &lttng_16_loops, &lttng_64_loops,
		     &lttng_large_loops, &lttng_string_loops },
	.vtid = { NULL, NULL, &lttng_vtid_loops },
	.off = &lttng_off_loops,
	.filtered = &lttng_filtered_loops,
	.are_enabled = are_enabled,
};
