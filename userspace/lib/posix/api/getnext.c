// SPDX-License-Identifier: LGPL-2.1
/*
 * getnext.c - the functions of <trace.h> that read events
 *
 * A thread waiting for events of an active stream holds a reference to it, but not its lock.
 * Writers wake it; it also polls from time to time, because a writer may have checked for a waiting
 * reader just before there was one. Signals are handled between its sleeps (signals.h).
 */
#include "control.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include "posix/log/recorded.h"
#include "signals.h"

#define WAIT_MS 50
/* Longest delay of a signal. */
#define SLEEP_MS 10

/* Where to store an event for the caller. */
struct destination {
	struct posix_trace_event_info *info;
	void *data;
	size_t size;
	size_t *len;
	int *unavailable;
};

static bool is_usable(const struct destination *to)
{
	return to->info && (to->data || !to->size) && to->len && to->unavailable;
}

static void deliver(const struct posix_item *item, const struct destination *to)
{
	const size_t len = item->head.size < to->size ? item->head.size : to->size;

	*to->info = (struct posix_trace_event_info) {
		.posix_event_id = item->rec.id - POSIX_ID_BASE,
		.posix_pid = (pid_t)item->head.pid,
		.posix_prog_address = (void *)(uintptr_t)item->head.address,
		.posix_thread_id = (pthread_t)item->head.thread,
		.posix_timestamp = item->time,
		.posix_truncation_status = len < item->head.size ? POSIX_TRACE_TRUNCATED_READ :
			item->rec.tid_flags & KTRACE_REC_TRUNCATED ? POSIX_TRACE_TRUNCATED_RECORD
								   : POSIX_TRACE_NOT_TRUNCATED,
	};
	if (len)
		memcpy(to->data, item->data, len);
	*to->len = len;
	*to->unavailable = 0;
}

static int ask_next(struct posix_control *c, struct posix_item *item, bool *has_item)
{
	const struct rpc_request r = { .call = RPC_NEXT };
	struct rpc_answer answer;
	int error = ktrace_posix_client_ask(c->client, &r, &answer);

	*has_item = !error && answer.has_event;
	if (*has_item)
		*item = (struct posix_item) {
			.rec = answer.rec, .head = answer.head, .time = answer.time,
			.data = ktrace_posix_client_data(c->client),
		};
	return error;
}

/* Returns 0 with or without @has_item; EINVAL if the keeper is gone. */
static int try_next(struct posix_control *c, const struct destination *to, bool *has_item)
{
	struct posix_item item;
	int error = 0;

	if (c->client)
		error = ask_next(c, &item, has_item);
	else
		*has_item = ktrace_posix_stream_next(c->stream, &item);
	if (*has_item)
		deliver(&item, to);
	return error;
}

/**
 * posix_trace_trygetnext_event - get the next event of an active stream, if there is one (PTRC-75)
 * @trid:	the stream
 * @event:	out: information about the event
 * @data:	out: its data; may be NULL if @num_bytes is 0
 * @num_bytes:	size of @data
 * @data_len:	out: bytes of data (PTRC-73)
 * @unavailable: out: not 0 if there is no event
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_trygetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
				 void *restrict data, size_t num_bytes,
				 size_t *restrict data_len, int *restrict unavailable)
{
	const struct destination to = { event, data, num_bytes, data_len, unavailable };
	struct posix_call c;
	bool has_item = false;
	int error = EINVAL;

	if (!is_usable(&to) || !ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	if (c.control)
		error = try_next(c.control, &to, &has_item);
	if (!error && !has_item) {
		*unavailable = 1;
		*data_len = 0;
	}
	return ktrace_posix_call_end(&c, error);
}

static bool is_time(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* Returns ms until then, at most WAIT_MS; 0 = past. The clock may be set meanwhile. */
static long time_left(const struct timespec *until)
{
	struct timespec now;
	long s;

	if (!until)
		return WAIT_MS;
	clock_gettime(CLOCK_REALTIME, &now);
	if (until->tv_sec < now.tv_sec)
		return 0;
	if (until->tv_sec > now.tv_sec + 1)
		return WAIT_MS;
	s = (long)(until->tv_sec - now.tv_sec);
	s = s * 1000000000 + until->tv_nsec - now.tv_nsec;
	if (s <= 0)
		return 0;
	return s / 1000000 < WAIT_MS ? s / 1000000 + 1 : WAIT_MS;
}

/* A waiting call, with signals held */
struct wait {
	struct posix_call *call;
	struct posix_signals signals;
};

static void release(void *arg)
{
	struct wait *w = arg;

	ktrace_posix_signals_release(&w->signals);
	ktrace_posix_trid_put(w->call->trid);
}

/* Returns 0 or EINTR. */
static int sleep_in_parts(const struct wait *w, __u32 news, long timeout_ms)
{
	bool is_woken = false;

	for (; timeout_ms > 0 && !is_woken; timeout_ms -= SLEEP_MS) {
		is_woken = ktrace_posix_place_wait(w->call->control->place, news,
						   timeout_ms < SLEEP_MS ? timeout_ms : SLEEP_MS);
		if (ktrace_posix_signals_take(&w->signals))
			return EINTR;
	}
	return 0;
}

/* Sleeps without the lock; the thread can be cancelled here. Returns as above. */
static int sleep_for(struct wait *w, __u32 news, long timeout_ms)
{
	struct posix_control *control = w->call->control;
	int error;

	pthread_mutex_unlock(&control->lock);
	pthread_cleanup_push(release, w);
	pthread_setcancelstate(w->call->caller.cancel_state, NULL);
	error = sleep_in_parts(w, news, timeout_ms);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cleanup_pop(0);
	pthread_mutex_lock(&control->lock);
	return error;
}

/* Waits for an event. Announces the reader to writers before looking again. */
static int wait_for_event(struct wait *w, const struct destination *to,
			  const struct timespec *until)
{
	struct posix_control *control = w->call->control;
	bool has_item = false;
	int error = 0;

	while (!error && !has_item) {
		const __u32 news = ktrace_posix_place_listen(control->place);
		long left;

		if (__atomic_load_n(&control->is_ended, __ATOMIC_RELAXED))
			return EINVAL;
		error = try_next(control, to, &has_item);
		if (error || has_item)
			break;
		if (until && !is_time(until))
			return EINVAL;
		left = time_left(until);
		if (!left)
			return ETIMEDOUT;
		error = sleep_for(w, news, left);
		if (!error && !__atomic_load_n(&control->is_ended, __ATOMIC_RELAXED))
			error = try_next(control, to, &has_item);
	}
	return error;
}

/* Gets an event. Holds signals only if there is no event yet, as that takes time. */
static int get_active(struct posix_call *c, const struct destination *to,
		      const struct timespec *until)
{
	struct wait w = { .call = c };
	bool has_item = false;
	int error = try_next(c->control, to, &has_item);

	if (error || has_item)
		return error;
	ktrace_posix_signals_hold(&w.signals);
	error = wait_for_event(&w, to, until);
	ktrace_posix_signals_release(&w.signals);
	return error;
}

static int get_event(trace_id_t trid, const struct destination *to, const struct timespec *until)
{
	struct posix_call c;
	int error;

	pthread_testcancel();
	if (!is_usable(to) || !ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	if (c.control)
		error = get_active(&c, to, until);
	else
		error = ktrace_posix_recorded_next(c.trid->recorded, to->info, to->data, to->size,
						   to->len, to->unavailable);
	if (error == ETIMEDOUT)
		*to->unavailable = 1;
	return ktrace_posix_call_end(&c, error);
}

/**
 * posix_trace_getnext_event - wait for the next event of a stream and get it (PTRC-71)
 *
 * Like posix_trace_trygetnext_event(), but for all kinds of streams. A cancellation point.
 *
 * Return: 0; EINVAL if it is not a stream or was shut down meanwhile; EINTR if a handler without
 * SA_RESTART ran while there was no event.
 */
int posix_trace_getnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
			      void *restrict data, size_t num_bytes, size_t *restrict data_len,
			      int *restrict unavailable)
{
	const struct destination to = { event, data, num_bytes, data_len, unavailable };

	return get_event(trid, &to, NULL);
}

/**
 * posix_trace_timedgetnext_event - wait for the next event of a stream up to a time
 * @abstime:	CLOCK_REALTIME; ignored if there is an event (PTRC-76)
 *
 * Return: as posix_trace_getnext_event(); ETIMEDOUT if there is no event; EINVAL also for an
 * invalid time.
 */
int posix_trace_timedgetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
				   void *restrict data, size_t num_bytes,
				   size_t *restrict data_len, int *restrict unavailable,
				   const struct timespec *restrict abstime)
{
	const struct destination to = { event, data, num_bytes, data_len, unavailable };

	return get_event(trid, &to, abstime);
}
