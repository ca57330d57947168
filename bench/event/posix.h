/* SPDX-License-Identifier: GPL-2.0 */
/* posix.h - posix_trace_event() with 16 bytes of data */
#ifndef BENCH_EVENT_POSIX_H
#define BENCH_EVENT_POSIX_H

#include <stdbool.h>

#include "loops.h"

extern const struct event_loops posix_loops;

/* The program is traced by itself from now on, into a stream that overwrites its oldest events. */
bool posix_begin(void);
/* Another thread has recorded, too: from now on there is an order to be kept. */
bool posix_share(void);
/* It is in no stream any more. */
void posix_end(void);

#endif
