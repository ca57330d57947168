/* SPDX-License-Identifier: GPL-2.0 */
/* trace_buffer_read.h - packets out of a buffer: read by somebody, or dropped to make room */
#ifndef KTRACED_SERVICE_BUFFER_TRACE_BUFFER_READ_H
#define KTRACED_SERVICE_BUFFER_TRACE_BUFFER_READ_H

#include "trace_buffer_ring.h"

/*
 * Drops all of a sequence up to the record @target, that included: its packets go in order, also
 * when they are dropped. The next packet that is read tells it. Where that takes too many steps,
 * together with others of this ring_drop(), @target goes alone.
 */
void trace_buffer_drop_until(struct trace_buffer *c, struct record *target);
/* From @off to @end there is something new: a reader that is there goes on behind it. */
void trace_buffer_read_past(struct trace_buffer *c, size_t off, size_t end);
/* Drops all of a sequence that has some, at once. Its records are not free: the memory goes. */
void trace_buffer_drop_all(struct trace_buffer *c, struct sequence *s);

#endif
