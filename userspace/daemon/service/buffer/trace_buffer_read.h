/* SPDX-License-Identifier: GPL-2.0 */
/* trace_buffer_read.h - takes packets out of a buffer: to read them, or to make room */
#ifndef KTRACED_SERVICE_BUFFER_TRACE_BUFFER_READ_H
#define KTRACED_SERVICE_BUFFER_TRACE_BUFFER_READ_H

#include "trace_buffer_ring.h"

/*
 * Drops a sequence up to and including the record @target: packets are also dropped in order. The
 * next packet read reports the loss. If this takes too many steps, together with others of the
 * same ring_drop(), drops @target alone.
 */
void trace_buffer_drop_until(struct trace_buffer *c, struct record *target);
/* From @off to @end there are new records: a reader in between goes on after them. */
void trace_buffer_read_past(struct trace_buffer *c, size_t off, size_t end);
/*
 * Drops all chunks of a sequence that has some, at once. Does not free the records, as the memory
 * goes away.
 */
void trace_buffer_drop_all(struct trace_buffer *c, struct sequence *s);

#endif
