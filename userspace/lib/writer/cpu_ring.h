/* SPDX-License-Identifier: LGPL-2.1 */
/* cpu_ring.h - writing to the ring of the CPU, with everything the fast path leaves out */
#ifndef KTRACE_WRITER_CPU_RING_H
#define KTRACE_WRITER_CPU_RING_H

#include "record.h"

struct channel;

enum record_result cpu_ring_put(const struct channel *ch, struct ktrace_thread *t,
				const struct record *rec, struct kt_ring *r);

#endif
