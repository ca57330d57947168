/* SPDX-License-Identifier: GPL-2.0 */
/* variants.h - the same events by ktrace and by what needs no tracer */
#ifndef BENCH_EVENT_VARIANTS_H
#define BENCH_EVENT_VARIANTS_H

#include <stdbool.h>

#include "loops.h"

enum payload {
	PAYLOAD_0, PAYLOAD_8, PAYLOAD_16, PAYLOAD_64, PAYLOAD_LARGE, PAYLOAD_STRING,
	PAYLOAD_NR,
};

extern const struct event_loops *const variant_ktrace[PAYLOAD_NR];
extern const struct event_loops *const variant_store[PAYLOAD_NR];
extern const struct event_loops *const variant_memcpy[PAYLOAD_NR];
extern const struct event_loops *const variant_pipe[PAYLOAD_NR];
extern const struct event_loops *const variant_fprintf[PAYLOAD_NR];

/* Neither of them does anything: the session does not want it; there is no session. */
extern const struct event_loops off_loops, none_loops;
/* The loop alone, and the clock alone. */
extern const struct event_loops nothing_loops, clock_loops;

bool variants_are_ready(void);

#endif
