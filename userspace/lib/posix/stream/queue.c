// SPDX-License-Identifier: LGPL-2.1
/*
 * queue.c - events of a stream's controller: START, STOP, FILTER, FLUSH_START, FLUSH_STOP
 *
 * They wait in the reader's memory and are merged with the rings. Their total size is limited like
 * that of a ring. If a controller often starts and stops and never reads, a looping stream loses
 * the oldest ones, and other streams become full: callers check for room before starting or
 * stopping.
 */
#include "stream_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void ktrace_posix_queue_pop(struct queue *q)
{
	struct control_event *e = q->first;

	q->first = e->next;
	if (!q->first)
		q->last = NULL;
	q->size -= posix_event_size(e->size);
	free(e);
}

void ktrace_posix_queue_apply(struct posix_stream *s, const struct control_event *e)
{
	if (e->id != POSIX_TRACE_START && e->id != POSIX_TRACE_STOP)
		return;
	s->is_started = e->id == POSIX_TRACE_START;
	s->had_no_room = false;
}

void ktrace_posix_queue_drop(struct posix_stream *s)
{
	const struct control_event *e = s->queue.first;

	ktrace_posix_queue_apply(s, e);
	if (!e->is_hidden) {
		ktrace_posix_open_gap(s, e->ts);
		s->dropped++;
	}
	ktrace_posix_queue_pop(&s->queue);
}

static void drop_oldest(struct posix_stream *s)
{
	const struct control_event *next = s->queue.first->next;

	if (next && s->cut_ts < next->ts)
		s->cut_ts = next->ts;
	ktrace_posix_queue_drop(s);
}

static size_t room_of_queue(const struct posix_stream *s)
{
	return s->attr.stream_size + posix_event_size(2 * sizeof(trace_event_set_t));
}

bool ktrace_posix_queue_has_room(const struct posix_stream *s, size_t size)
{
	const size_t stop = posix_event_size(sizeof(int));

	return !s->stops || s->queue.size + posix_event_size(size) + stop <= room_of_queue(s);
}

void ktrace_posix_queue_push(struct posix_stream *s, trace_event_id_t id, const void *address,
			     const void *data, size_t size)
{
	struct control_event *e = malloc(sizeof(*e) + size);

	if (!e) {
		s->dropped++;
		return;
	}
	*e = (struct control_event) {
		.ts = ktrace_posix_now(s), .address = (__u64)(uintptr_t)address, .id = id,
		.size = (__u32)size, .is_hidden = posix_is_filtered(s, id),
	};
	if (size)
		memcpy(e->data, data, size);
	if (s->queue.last)
		s->queue.last->next = e;
	else
		s->queue.first = e;
	s->queue.last = e;
	s->queue.size += posix_event_size(size);
	while (!s->stops && s->queue.size > room_of_queue(s))
		drop_oldest(s);
}
