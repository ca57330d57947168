/* SPDX-License-Identifier: LGPL-2.1 */
/* thread_ring.h - writing to a ring that belongs to one thread */
#ifndef KTRACE_WRITER_THREAD_RING_H
#define KTRACE_WRITER_THREAD_RING_H

#include "record.h"

struct channel;

void thread_ring_init(void);
void thread_ring_note_end(struct ktrace_thread *t);
bool thread_ring_is_left(uintptr_t here, uintptr_t outer);
void thread_ring_after_fork(const struct channel *ch, struct ktrace_thread *t);
enum record_result thread_ring_put(const struct channel *ch, struct ktrace_thread *t,
				   const struct record *rec, struct kt_ring *r);

#endif
