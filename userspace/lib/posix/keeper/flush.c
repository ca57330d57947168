// SPDX-License-Identifier: GPL-2.0
/*
 * flush.c - move events from the stream into the log
 *
 * With the policy FLUSH, this is done when a ring, or the limit of the controller's own events, is
 * half full, and otherwise every second; with the other policies only on request and at the end.
 */
#include "keeper.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "posix/registry/names.h"
#include "ring/port.h"

#define LOOK_MS 10
#define FLUSH_LOOKS 100
#define ANSWER_MS 100

static void note_error(struct keeper *k, int error)
{
	if (error && !k->flush_error)
		k->flush_error = error;
}

static int tell_name(struct keeper *k, trace_event_id_t id)
{
	const struct posix_registry *b = ktrace_posix_stream_registry(k->stream);
	char name[TRACE_EVENT_NAME_MAX + 1];

	if (ktrace_posix_log_has_name(k->log, id) || !ktrace_posix_name_get(b, id, name))
		return 0;
	return ktrace_posix_log_name(k->log, id, name);
}

/*
 * Announces all types of the stream, including filtered ones: START and FILTER have sets of them.
 */
static int tell_names(struct keeper *k)
{
	const __u64 *types = ktrace_posix_stream_place(k->stream)->types;
	int error = 0;

	for (trace_event_id_t id = POSIX_ID_USER + 1; id < POSIX_ID_NR && !error; id++)
		if (kt_load(&types[id / 64]) >> id % 64 & 1)
			error = tell_name(k, id);
	return error;
}

/* Announces everything that the log needs before the event. */
static int prepare_log(struct keeper *k, trace_event_id_t id)
{
	int error = 0, name_error;

	if (k->clock_s != now_ns() / NS_PER_S) {
		struct ktrace_reading r;

		ktrace_session_clock(ktrace_posix_stream_session(k->stream), &r);
		error = ktrace_posix_log_clock(k->log, &r);
		k->clock_s = now_ns() / NS_PER_S;
	}
	name_error = id == POSIX_TRACE_START || id == POSIX_TRACE_FILTER ? tell_names(k) :
		     tell_name(k, id);
	return error ? error : name_error;
}

/* Moves one event. Returns false if there is none. */
static bool move_one(struct keeper *k)
{
	static char payload[sizeof(struct ktrace_posix_event) + POSIX_DATA_MAX];
	struct posix_item item;
	bool has_item;

	pthread_mutex_lock(&k->lock);
	has_item = ktrace_posix_stream_next(k->stream, &item);
	if (has_item) {
		memcpy(payload, &item.head, sizeof(item.head));
		memcpy(payload + sizeof(item.head), item.data, item.head.size);
	}
	pthread_mutex_unlock(&k->lock);
	if (!has_item)
		return false;
	item.rec.len = (__u16)(sizeof(item.head) + item.head.size);
	note_error(k, prepare_log(k, item.rec.id - POSIX_ID_BASE));
	note_error(k, ktrace_posix_log_add(k->log, &item.rec, payload));
	return true;
}

/* Gets the log's status under the log's lock and keeps it for others; this completes a flush. */
static void note_status(struct keeper *k)
{
	struct posix_log_status s;

	ktrace_posix_log_status(k->log, &s, true);
	pthread_mutex_lock(&k->lock);
	k->is_flushing = false;
	k->log_status = s;
	k->is_overrun |= s.is_overrun;
	if (!k->error)
		k->error = s.error ? s.error : k->flush_error;
	pthread_mutex_unlock(&k->lock);
}

/* Begins a flush. Its marks come in pairs, whatever happens to the stream meanwhile. */
static void begin(struct keeper *k, const void *address)
{
	pthread_mutex_lock(&k->lock);
	k->is_flushing = true;
	k->is_marked = ktrace_posix_stream_is_recording(k->stream);
	if (k->is_marked)
		ktrace_posix_stream_mark(k->stream, POSIX_TRACE_FLUSH_START, address);
	pthread_mutex_unlock(&k->lock);
}

static void end(struct keeper *k, const void *address)
{
	pthread_mutex_lock(&k->lock);
	if (k->is_marked)
		ktrace_posix_stream_mark(k->stream, POSIX_TRACE_FLUSH_STOP, address);
	pthread_mutex_unlock(&k->lock);
}

/* Moves the pending events, at most @most, into the log. Called with log_lock. */
static void flush(struct keeper *k, const void *address, size_t most)
{
	k->flush_error = 0;
	begin(k, address);
	while (most-- && move_one(k))
		;
	end(k, address);
	note_error(k, tell_names(k));
	note_error(k, ktrace_posix_log_flush(k->log));
	note_status(k);
}

static void nap(struct keeper *k, long ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_clockwait(&k->changed, &k->lock, CLOCK_MONOTONIC, &until);
}

/* Moves all events present now. Events recorded during the flush are left to the next one. */
static void flush_unlocked(struct keeper *k)
{
	const size_t most = ktrace_posix_stream_most(k->stream);
	const void *address = k->wanted != k->done ? k->address : NULL;
	const __u64 wanted = k->wanted;

	pthread_mutex_unlock(&k->lock);
	pthread_mutex_lock(&k->log_lock);
	flush(k, address, most);
	pthread_mutex_unlock(&k->log_lock);
	pthread_mutex_lock(&k->lock);
	k->done = wanted;
	pthread_cond_broadcast(&k->changed);
}

static bool flushes_by_itself(const struct keeper *k)
{
	return ktrace_posix_stream_attr(k->stream)->stream_policy == POSIX_TRACE_FLUSH;
}

static void *run(void *arg)
{
	struct keeper *k = arg;
	const bool by_itself = flushes_by_itself(k);
	int looks = 0;

	pthread_mutex_lock(&k->lock);
	while (!k->is_ending) {
		if (k->wanted != k->done) {
			flush_unlocked(k);
			continue;
		}
		if (by_itself && (ktrace_posix_stream_is_full(k->stream) ||
				  (looks++ >= FLUSH_LOOKS &&
				   ktrace_posix_stream_has_news(k->stream)))) {
			flush_unlocked(k);
			looks = 0;
			continue;
		}
		nap(k, LOOK_MS);
	}
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

int keeper_start_flusher(struct keeper *k)
{
	/* EAGAIN would mean too many streams. */
	return pthread_create(&k->flusher, NULL, run, k) ? ENOMEM : 0;
}

void keeper_stop_flusher(struct keeper *k)
{
	pthread_mutex_lock(&k->lock);
	k->is_ending = true;
	pthread_cond_broadcast(&k->changed);
	pthread_mutex_unlock(&k->lock);
	pthread_join(k->flusher, NULL);
}

int keeper_ask_flush(struct keeper *k, const void *address)
{
	const __u64 mine = ++k->wanted;
	int error = 0;

	k->address = address;
	pthread_cond_broadcast(&k->changed);
	for (int i = 0; i < ANSWER_MS / LOOK_MS && k->done < mine; i++)
		nap(k, LOOK_MS);
	if (k->done >= mine)
		error = k->flush_error;
	return error == EFBIG || error == ENOSPC ? error : 0;
}

void keeper_make_room(struct keeper *k)
{
	for (int i = 0; i < ANSWER_MS / LOOK_MS && flushes_by_itself(k) &&
	     ktrace_posix_stream_is_steered(k->stream); i++) {
		pthread_cond_broadcast(&k->changed);
		nap(k, LOOK_MS);
	}
}

void keeper_clear(struct keeper *k)
{
	pthread_mutex_unlock(&k->lock);
	if (k->log)
		pthread_mutex_lock(&k->log_lock);
	pthread_mutex_lock(&k->lock);
	ktrace_posix_stream_clear(k->stream);
	k->is_overrun = false;
	k->error = k->flush_error = 0;
	k->log_status = (struct posix_log_status) { 0 };
	if (!k->log)
		return;
	pthread_mutex_unlock(&k->lock);
	ktrace_posix_log_clear(k->log);
	note_status(k);
	pthread_mutex_unlock(&k->log_lock);
	pthread_mutex_lock(&k->lock);
}

void keeper_status(struct keeper *k, struct posix_trace_status_info *info)
{
	ktrace_posix_stream_status(k->stream, info);
	if (!k->log)
		return;
	info->posix_stream_flush_status = k->is_flushing || k->wanted != k->done
		? POSIX_TRACE_FLUSHING : POSIX_TRACE_NOT_FLUSHING;
	info->posix_stream_flush_error = k->error;
	info->posix_log_overrun_status = k->is_overrun ? POSIX_TRACE_OVERRUN
						       : POSIX_TRACE_NO_OVERRUN;
	info->posix_log_full_status = k->log_status.is_full ? POSIX_TRACE_FULL
							    : POSIX_TRACE_NOT_FULL;
	info->posix_stream_lost[KTRACE_LOST_OVERWRITTEN] += k->log_status.overwritten;
	info->posix_stream_lost[KTRACE_LOST_UNWRITTEN] += k->log_status.unwritten;
	k->error = 0;
	k->is_overrun = false;
}

int keeper_shutdown(struct keeper *k, const void *address)
{
	struct posix_trace_status_info info;
	struct ktrace_reading now;
	int error = 0, close_error;

	if (k->log)
		keeper_stop_flusher(k);
	pthread_mutex_lock(&k->lock);
	ktrace_posix_stream_stop(k->stream, address);
	pthread_mutex_unlock(&k->lock);
	if (k->log) {
		flush(k, address, SIZE_MAX);
		error = k->flush_error;
		keeper_status(k, &info);
		ktrace_session_clock(ktrace_posix_stream_session(k->stream), &now);
		close_error = ktrace_posix_log_close(k->log, &info, &now);
		error = error ? error : close_error;
	}
	ktrace_posix_stream_destroy(k->stream);
	return error;
}
