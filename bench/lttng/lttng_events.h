/* SPDX-License-Identifier: GPL-2.0 */
/* lttng_events.h - what build/bench/lttng_events.so offers */
#ifndef BENCH_LTTNG_EVENTS_H
#define BENCH_LTTNG_EVENTS_H

#include "../event/variants.h"

/**
 * struct lttng_events - the symbol "lttng_events"
 * @payload:	enabled events
 * @vtid:	PAYLOAD_16 with the thread's number, which every ktrace record has
 * @off:	one that is not
 * @filtered:	one that is enabled with a filter that no event passes
 * @are_enabled: whether the session is as it has to be
 */
struct lttng_events {
	const struct event_loops *payload[PAYLOAD_NR];
	const struct event_loops *vtid[PAYLOAD_NR];
	const struct event_loops *off;
	const struct event_loops *filtered;
	bool (*are_enabled)(void);
};

extern const struct lttng_events lttng_events;

#endif
