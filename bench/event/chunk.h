/* SPDX-License-Identifier: GPL-2.0 */
/* chunk.h - TRACER_LOGEVENT() of a program that has a S.Ha.R.K. chunk in use */
#ifndef BENCH_EVENT_CHUNK_H
#define BENCH_EVENT_CHUNK_H

#include <stdbool.h>

#include "loops.h"

extern const struct event_loops chunk_loops;

/* Events go to the chunk from now on, or nowhere if @is_suppressed; false: there can be none. */
bool chunk_begin(bool is_suppressed);
void chunk_end(void);

#endif
