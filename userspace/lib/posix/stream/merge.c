// SPDX-License-Identifier: LGPL-2.1
/*
 * merge.c - deliver the events of a stream in order: rings, controller's events, gaps and stops
 *
 * Order. Delivers the event with the smallest stamp of those at the front of the rings, but only
 * after checking again the rings that had been empty: by then, the cause of any event that we have
 * seen is visible.
 *
 * Gaps. With the policy LOOP each ring overwrites independently. The rest of the stream is
 * without a gap only from cut_ts on, the newest of the rings' oldest records; older records are
 * dropped. OVERFLOW and RESUME come before the first record from there.
 *
 * Stops. A full stream has lost its bit in `running`. When everything has been read, STOP is
 * reported; the stream restarts at once, and START is reported before its next events. An event
 * whose stamp is from a time when the stream was not started was on its way when the stream
 * stopped: it counts as lost if the stream was full, and is ignored after an explicit stop.
 */
#include "stream_internal.h"

#include <stdint.h>
#include <string.h>
#include "ring/ring.h"
#include "sink.h"

/* Consumes a ring's records up to offset @off in the chunk. */
static void consume(struct posix_stream *s, __u32 ring, __u32 off, __u32 records)
{
	struct front *f = &s->fronts[ring];
	const struct ktrace_chunk part = {
		.pos = f->chunk.pos + f->off, .next_pos = f->chunk.pos + off, .records = records,
	};

	f->off = off;
	f->has_record = false;
	ktrace_stream_advance(s->session, ring, &part);
}

static void finish_chunk(struct posix_stream *s, __u32 ring)
{
	struct front *f = &s->fronts[ring];
	struct ktrace_chunk rest = f->chunk;

	rest.records = 0;
	f->has_chunk = false;
	ktrace_stream_advance(s->session, ring, &rest);
}

static bool next_chunk(struct posix_stream *s, __u32 ring)
{
	struct front *f = &s->fronts[ring];
	struct ktrace_stream info;

	if (!ktrace_stream_peek(s->session, ring, true, &f->chunk))
		return false;
	ktrace_stream_info(s->session, ring, &info);
	f->has_chunk = true;
	f->off = f->chunk.pos & (info.block_size - 1) ? 0 : sizeof(struct ktrace_block);
	return true;
}

static bool is_event(const struct ktrace_record *rec)
{
	return rec->id > POSIX_ID_BASE && rec->id < POSIX_ID_BASE + POSIX_ID_NR &&
	       rec->len >= sizeof(struct ktrace_posix_event);
}

/* Finds the record at the chunk's offset. Returns false if there is no more. */
static bool next_record(struct posix_stream *s, __u32 ring)
{
	struct front *f = &s->fronts[ring];
	struct kt_cursor c = { .base = f->chunk.data, .off = f->off, .end = f->chunk.size };

	while (c.off <= c.end && kt_cursor_next(&c, &f->rec, &f->payload) == KT_CURSOR_RECORD) {
		f->next_off = c.off;
		if (is_event(&f->rec) && f->rec.ts > s->clear_ts) {
			f->has_record = true;
			return true;
		}
		consume(s, ring, c.off, kt_record_is_event(&f->rec));
	}
	return false;
}

/*
 * Returns the stamp of the first overwritten record, as noted by its writer while we were at @pos.
 */
static __u64 noted_lost(const struct posix_stream *s, __u32 ring, __u64 pos)
{
	size_t size;
	const char *area = ktrace_session_area(s->session, &size);
	const struct ktrace_channel_lost *lost;
	const size_t off = KTRACE_CHANNEL_LOST_OFF + ring * sizeof(*lost);

	if (!area || size < off + sizeof(*lost))
		return 0;
	lost = (const struct ktrace_channel_lost *)(area + off);
	/* ORD(first_lost:A) pairs ORD(note_lost:A): the stamp belongs to the tail */
	return kt_load_acquire(&lost->tail) == pos ? kt_load(&lost->ts) : 0;
}

static __u64 overwritten(const struct posix_stream *s, __u32 ring)
{
	struct ktrace_lost lost;

	ktrace_stream_lost(s->session, ring, &lost);
	return lost.count[KTRACE_LOST_OVERWRITTEN];
}

void ktrace_posix_open_gap(struct posix_stream *s, __u64 first_ts)
{
	if (s->gap == GAP_NONE) {
		s->gap = GAP_OVERFLOW;
		s->gap_ts = first_ts;
	} else if (s->gap == GAP_OVERFLOW && first_ts < s->gap_ts) {
		s->gap_ts = first_ts;
	}
}

/* Loads the record at the front of the ring, if there is one. */
static void look_at(struct posix_stream *s, __u32 ring)
{
	struct front *f = &s->fronts[ring];
	const __u64 pos = ktrace_stream_pos(s->session, ring);
	__u64 noted;

	if (f->has_chunk && !ktrace_stream_still_valid(s->session, ring, &f->chunk)) {
		f->has_chunk = false;
		f->has_record = false;
	}
	if (f->has_record)
		return;
	noted = s->stops ? 0 : noted_lost(s, ring, pos);
	while (!f->has_record && (f->has_chunk || next_chunk(s, ring)))
		if (!next_record(s, ring))
			finish_chunk(s, ring);
	if (s->stops || overwritten(s, ring) == f->overwritten)
		return;
	f->overwritten = overwritten(s, ring);
	if (f->has_record) {
		ktrace_posix_open_gap(s, noted && noted < f->rec.ts ? noted : f->rec.ts);
		if (f->rec.ts > s->cut_ts)
			s->cut_ts = f->rec.ts;
	}
}

/* Drops a record older than a gap. */
static bool cut_front(struct posix_stream *s, __u32 ring)
{
	struct front *f = &s->fronts[ring];

	if (!f->has_record || f->rec.ts >= s->cut_ts)
		return false;
	ktrace_posix_open_gap(s, f->rec.ts);
	s->dropped++;
	consume(s, ring, f->next_off, 1);
	return true;
}

static bool cut_queue(struct posix_stream *s)
{
	const struct control_event *e = s->queue.first;

	if (!e || e->ts >= s->cut_ts)
		return false;
	ktrace_posix_queue_drop(s);
	return true;
}

void ktrace_posix_look(struct posix_stream *s)
{
	bool has_cut;

	do {
		has_cut = false;
		for (__u32 i = 0; i < s->ring_nr; i++)
			look_at(s, i);
		for (__u32 i = 0; i < s->ring_nr; i++)
			has_cut |= cut_front(s, i);
		has_cut |= cut_queue(s);
	} while (has_cut);
}

void ktrace_posix_drain(struct posix_stream *s)
{
	for (__u32 i = 0; i < s->ring_nr; i++) {
		struct front *f = &s->fronts[i];

		f->has_record = false;
		while (f->has_chunk || next_chunk(s, i))
			finish_chunk(s, i);
		f->overwritten = overwritten(s, i);
	}
	while (s->queue.first)
		ktrace_posix_queue_pop(&s->queue);
}

static bool has_records(struct posix_stream *s)
{
	for (__u32 i = 0; i < s->ring_nr; i++)
		if (s->fronts[i].has_record || ktrace_stream_unread(s->session, i))
			return true;
	return false;
}

bool ktrace_posix_has_unread(struct posix_stream *s)
{
	return s->queue.first || has_records(s);
}

bool ktrace_posix_has_news(struct posix_stream *s)
{
	for (const struct control_event *e = s->queue.first; e; e = e->next)
		if (e->id != POSIX_TRACE_FLUSH_START && e->id != POSIX_TRACE_FLUSH_STOP)
			return true;
	return has_records(s);
}

#define NOTHING (~0u)
#define FROM_QUEUE (~0u - 1)

/* Returns where the oldest event is; @ts: its stamp. */
static __u32 oldest(const struct posix_stream *s, __u64 *ts)
{
	const struct control_event *e = s->queue.first;
	__u32 from = NOTHING;

	for (__u32 i = 0; i < s->ring_nr; i++) {
		const struct front *f = &s->fronts[i];

		if (f->has_record && (from == NOTHING || f->rec.ts < *ts)) {
			from = i;
			*ts = f->rec.ts;
		}
	}
	/* For equal stamps, STOP comes after other events; everything else comes before. */
	if (e && (from == NOTHING || e->ts < *ts ||
		  (e->ts == *ts && e->id != POSIX_TRACE_STOP))) {
		from = FROM_QUEUE;
		*ts = e->ts;
	}
	return from;
}

/* True if a ring is no longer empty, or the record at a front was overwritten. */
static bool has_changed(struct posix_stream *s)
{
	for (__u32 i = 0; i < s->ring_nr; i++) {
		const struct front *f = &s->fronts[i];

		if (!f->has_record && ktrace_stream_unread(s->session, i))
			return true;
		if (f->has_chunk && !ktrace_stream_still_valid(s->session, i, &f->chunk))
			return true;
	}
	return false;
}

static __u64 clock_hz(const struct posix_stream *s)
{
	return s->clock.hz ? s->clock.hz : 1000000000;
}

static void set_time(struct posix_stream *s, struct posix_item *item)
{
	const __u64 ts = item->rec.ts;
	__s64 ticks = (__s64)(ts - s->clock.raw);
	__u64 ns;

	/* The clock may have been set, and its frequency is known better by now. */
	if (ticks > (__s64)clock_hz(s)) {
		ktrace_session_clock(s->session, &s->clock);
		ticks = (__s64)(ts - s->clock.raw);
	}
	/* A process that can write to the ring can forge stamps. */
	if (ticks > (__s64)clock_hz(s))
		ticks = (__s64)clock_hz(s);
	ns = s->clock.real_ns + (__u64)((__int128)ticks * 1000000000 / (__s64)clock_hz(s));
	/* A later event must not get an earlier time because the frequency is known better. */
	if (ts >= s->last_ts && ns < s->last_ns && s->last_ns - ns < 1000000)
		ns = s->last_ns;
	s->last_ns = ns;
	s->last_ts = ts;
	if (ts > s->newest_ts)
		s->newest_ts = ts;
	item->time = (struct timespec) { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

/* Makes a system event that has no thread. */
static void make_item(struct posix_stream *s, struct posix_item *item, trace_event_id_t id,
		      __u64 ts, const void *data, __u32 size)
{
	memcpy(s->buffer, data, size);
	*item = (struct posix_item) {
		.rec = { .ts = ts, .id = (__u16)(id + POSIX_ID_BASE),
			 .len = (__u16)(sizeof(item->head) + size) },
		.head = { .size = size },
		.data = s->buffer,
	};
	set_time(s, item);
}

/* Returns true if the event is to be delivered. */
static bool take_queue(struct posix_stream *s, struct posix_item *item)
{
	const struct control_event *e = s->queue.first;
	const bool is_shown = !e->is_hidden;

	ktrace_posix_queue_apply(s, e);
	make_item(s, item, e->id, e->ts, e->data, e->size);
	item->head.address = e->address;
	ktrace_posix_queue_pop(&s->queue);
	return is_shown;
}

/* Copies an event, then checks that it was valid all the time. */
static bool take_ring(struct posix_stream *s, __u32 ring, struct posix_item *item)
{
	struct front *f = &s->fronts[ring];
	const bool is_shown = s->is_started;
	__u32 room = f->rec.len - (__u32)sizeof(item->head);

	/* posix_trace_event() cannot have made it then. */
	if (room > POSIX_DATA_MAX)
		room = POSIX_DATA_MAX;
	memcpy(&item->head, f->payload, sizeof(item->head));
	kt_barrier();	/* the copy is checked and used, whatever happens to the ring */
	memcpy(s->buffer, f->payload + sizeof(item->head), room);
	if (!ktrace_stream_still_valid(s->session, ring, &f->chunk))
		return false;
	if (item->head.size < room)
		room = item->head.size;
	item->head.size = room;
	item->rec = f->rec;
	item->data = s->buffer;
	consume(s, ring, f->next_off, 1);
	if (!is_shown && s->had_no_room)
		s->dropped++;
	if (is_shown)
		set_time(s, item);
	return is_shown;
}

/* Takes the mark to be reported before the event at @ts. */
static bool take_mark(struct posix_stream *s, __u64 ts, struct posix_item *item)
{
	trace_event_id_t id;

	if (s->start_due && s->start_ts <= ts) {
		s->start_due = false;
		s->is_started = true;
		make_item(s, item, POSIX_TRACE_START, s->start_ts, &s->start_filter,
			  sizeof(s->start_filter));
		return !posix_set_has(&s->start_filter, POSIX_TRACE_START);
	}
	if (s->gap == GAP_NONE)
		return false;
	id = s->gap == GAP_OVERFLOW ? POSIX_TRACE_OVERFLOW : POSIX_TRACE_RESUME;
	make_item(s, item, id, id == POSIX_TRACE_OVERFLOW ? s->gap_ts : ts, "", 0);
	s->gap = s->gap == GAP_OVERFLOW ? GAP_RESUME : GAP_NONE;
	return !posix_is_filtered(s, id);
}

void ktrace_posix_restart(struct posix_stream *s)
{
	s->restart_due = false;
	s->start_due = true;
	s->start_ts = ktrace_posix_now(s);
	memcpy(&s->start_filter, s->place->filter, sizeof(s->start_filter));
	__atomic_fetch_and(&s->registry->full, ~s->bit, __ATOMIC_RELAXED);
	posix_run(s->registry, s->bit);
}

/*
 * Called when everything has been read. A stream that stopped because it was full reports STOP and
 * restarts. STOP gets the stamp of the stream's last event, whenever that is read.
 */
static bool take_stop(struct posix_stream *s, struct posix_item *item)
{
	const int automatic = 1;
	bool is_shown;

	if (kt_load(&s->registry->full) & s->bit && !s->stop_due && !s->restart_due) {
		s->restart_due = s->is_wanted;
		/* A writer may have set the bit only after an explicit stop. */
		if (!s->is_wanted)
			__atomic_fetch_and(&s->registry->full, ~s->bit, __ATOMIC_RELAXED);
		s->stop_due = s->is_wanted || s->is_started;
		if (ktrace_posix_has_unread(s))
			return false;
	}
	if (!s->stop_due)
		return false;
	s->stop_due = false;
	s->is_started = false;
	s->had_no_room = true;
	s->was_full = false;
	is_shown = !posix_is_filtered(s, POSIX_TRACE_STOP);
	if (is_shown)
		make_item(s, item, POSIX_TRACE_STOP, s->newest_ts, &automatic, sizeof(automatic));
	if (s->restart_due)
		ktrace_posix_restart(s);
	return is_shown;
}

bool ktrace_posix_stream_next(struct posix_stream *s, struct posix_item *item)
{
	for (;;) {
		__u32 from;
		__u64 ts = 0;

		ktrace_posix_look(s);
		from = oldest(s, &ts);
		if (has_changed(s))
			continue;
		if (from == NOTHING) {
			if (take_stop(s, item))
				return true;
			if (!s->stop_due && !ktrace_posix_has_unread(s))
				return false;
			continue;
		}
		if (s->gap != GAP_NONE || (s->start_due && s->start_ts <= ts)) {
			if (take_mark(s, ts, item))
				return true;
			continue;
		}
		if (from == FROM_QUEUE ? take_queue(s, item) : take_ring(s, from, item))
			return true;
	}
}
