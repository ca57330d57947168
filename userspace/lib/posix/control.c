// SPDX-License-Identifier: LGPL-2.1
/*
 * control.c - the functions of <trace.h> for active streams, in the controller
 *
 * Each takes a reference to the stream, then its lock. Cancellation is off meanwhile; a thread
 * that waits for events has it on again, and holds the reference but not the lock.
 */
#include "control.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include "member.h"
#include "recorded.h"
#include "stream.h"
#include "trid.h"

/* A writer may have looked for a waiting reader just before there was one. */
#define WAIT_MS 50

/**
 * struct posix_control - an active stream of this process
 * @lock:	for all below
 * @stream:	the stream
 * @is_ended:	it is being shut down
 */
struct posix_control {
	pthread_mutex_t lock;
	struct posix_stream *stream;
	bool is_ended;
};

/* What one call works on. */
struct call {
	struct posix_trid *trid;
	struct posix_control *control;
	int cancel_state;
};

/* Begins a call on an active stream. False: @trid is none. */
static bool begin(struct call *c, trace_id_t trid)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel_state);
	c->trid = ktrace_posix_trid_get(trid);
	c->control = c->trid ? c->trid->control : NULL;
	if (c->control) {
		pthread_mutex_lock(&c->control->lock);
		return true;
	}
	ktrace_posix_trid_put(c->trid);
	pthread_setcancelstate(c->cancel_state, NULL);
	return false;
}

static int end(struct call *c, int error)
{
	pthread_mutex_unlock(&c->control->lock);
	ktrace_posix_trid_put(c->trid);
	pthread_setcancelstate(c->cancel_state, NULL);
	return error;
}

/*
 * Begins a call on a pre-recorded stream; NULL = @trid is none. It is used by libktraceset,
 * which has cancellation points: there is none of a call's own.
 */
static struct posix_recorded *begin_recorded(struct call *c, trace_id_t trid)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel_state);
	c->trid = ktrace_posix_trid_get(trid);
	if (c->trid && c->trid->recorded)
		return c->trid->recorded;
	ktrace_posix_trid_put(c->trid);
	pthread_setcancelstate(c->cancel_state, NULL);
	return NULL;
}

static int end_recorded(struct call *c, int error)
{
	ktrace_posix_trid_put(c->trid);
	pthread_setcancelstate(c->cancel_state, NULL);
	return error;
}

struct posix_board_stream *ktrace_posix_control_place(const struct posix_control *c,
						      struct posix_board **board)
{
	*board = ktrace_posix_stream_board(c->stream);
	return ktrace_posix_stream_place(c->stream);
}

void ktrace_posix_control_interrupt(struct posix_control *c)
{
	__atomic_store_n(&c->is_ended, true, __ATOMIC_RELAXED);
	ktrace_posix_stream_wake(c->stream);
}

void ktrace_posix_control_forget(struct posix_control *c)
{
	ktrace_posix_stream_forget(c->stream);
	free(c);
}

/* May this process look into that one? What ptrace(2) asks, too, without attaching. */
static int check_target(pid_t pid)
{
	char path[32], state = 0;
	uid_t uid;
	int fd;

	if (pid == POSIX_TRACE_ALLPROC)
		return 0;
	if (pid < 0 || !ktrace_posix_start_time(pid, &state, &uid) || state == 'Z')
		return ESRCH;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? ESRCH : EPERM;
	close(fd);
	return uid == geteuid() ? 0 : EPERM;
}

static int make_control(struct posix_attr *attr, pid_t pid, struct posix_control **out)
{
	struct posix_control *c = calloc(1, sizeof(*c));
	struct posix_board *board = ktrace_posix_board();
	int error;

	if (!c)
		return ENOMEM;
	pthread_mutex_init(&c->lock, NULL);
	error = ktrace_posix_stream_create(attr, pid, &ktrace_posix_member.owner, board,
					   &c->stream);
	if (error)
		free(c);
	else
		*out = c;
	return error;
}

static int create(pid_t pid, const trace_attr_t *attr, trace_id_t *trid)
{
	struct posix_trid what = { 0 };
	struct posix_attr a;
	int error = ktrace_posix_attr_read(attr, &a);

	if (!a.stream_policy)
		a.stream_policy = POSIX_TRACE_LOOP;
	if (!error && (a.stream_policy == POSIX_TRACE_FLUSH || !trid))
		error = EINVAL;
	if (!pid)
		pid = getpid();
	if (!error)
		error = check_target(pid);
	if (!error)
		error = make_control(&a, pid, &what.control);
	if (error)
		return error;
	error = ktrace_posix_trid_new(&what, trid);
	if (error) {
		ktrace_posix_stream_destroy(what.control->stream);
		free(what.control);
	}
	return error;
}

/**
 * posix_trace_create - make a stream of the events of a process; it does not record yet
 * @pid:	the process, 0 = the caller, POSIX_TRACE_ALLPROC = all of the caller's user
 * @attr:	attributes, copied; NULL = the defaults
 * @trid:	out: the stream, for this process only
 *
 * Return: 0; EAGAIN the user has TRACE_SYS_MAX streams; EINVAL bad attributes, or the policy
 * POSIX_TRACE_FLUSH; ENOMEM; EPERM the process may not be looked into; ESRCH there is none.
 */
int posix_trace_create(pid_t pid, const trace_attr_t *restrict attr, trace_id_t *restrict trid)
{
	int state, error;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	error = create(pid, attr, trid);
	pthread_setcancelstate(state, NULL);
	return error;
}

/**
 * posix_trace_shutdown - end a stream and free all it has
 * @trid:	the stream
 *
 * Unread events of a stream without log are gone. Threads that wait for its events return with
 * EINVAL (PTRC-27).
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_shutdown(trace_id_t trid)
{
	struct posix_trid t;
	int state, error;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	error = ktrace_posix_trid_take(trid, true, &t);
	if (!error) {
		ktrace_posix_stream_destroy(t.control->stream);
		pthread_mutex_destroy(&t.control->lock);
		free(t.control);
	}
	pthread_setcancelstate(state, NULL);
	return error;
}

/**
 * posix_trace_start - record from now on (PTRC-24)
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_start(trace_id_t trid)
{
	struct call c;

	if (!begin(&c, trid))
		return EINVAL;
	ktrace_posix_stream_start(c.control->stream, __builtin_return_address(0));
	return end(&c, 0);
}

/**
 * posix_trace_stop - record no more (PTRC-25)
 *
 * A stream that had stopped because it was full does not restart then.
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_stop(trace_id_t trid)
{
	struct call c;

	if (!begin(&c, trid))
		return EINVAL;
	ktrace_posix_stream_stop(c.control->stream, __builtin_return_address(0));
	return end(&c, 0);
}

/**
 * posix_trace_clear - as if the stream were new, but for names and whether it runs (PTRC-26)
 *
 * The filter is empty afterwards.
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_clear(trace_id_t trid)
{
	struct call c;

	if (!begin(&c, trid))
		return EINVAL;
	ktrace_posix_stream_clear(c.control->stream);
	return end(&c, 0);
}

/**
 * posix_trace_get_attr - the attributes that a stream has
 * @trid:	the stream
 * @attr:	out; need not have been initialized (PTRC-29)
 *
 * Return: 0, EINVAL no stream.
 */
int posix_trace_get_attr(trace_id_t trid, trace_attr_t *attr)
{
	struct posix_recorded *r;
	struct posix_attr a;
	struct call c;

	if (!attr)
		return EINVAL;
	r = begin_recorded(&c, trid);
	if (r) {
		ktrace_posix_recorded_attr(r, &a);
		ktrace_posix_attr_write(&a, attr);
		return end_recorded(&c, 0);
	}
	if (!begin(&c, trid))
		return EINVAL;
	ktrace_posix_attr_write(ktrace_posix_stream_attr(c.control->stream), attr);
	return end(&c, 0);
}

/**
 * posix_trace_get_status - the state of a stream; an overrun is reported once (PTRC-30)
 *
 * Return: 0, EINVAL no stream.
 */
int posix_trace_get_status(trace_id_t trid, struct posix_trace_status_info *info)
{
	struct posix_recorded *r;
	struct call c;

	if (!info)
		return EINVAL;
	r = begin_recorded(&c, trid);
	if (r) {
		ktrace_posix_recorded_status(r, info);
		return end_recorded(&c, 0);
	}
	if (!begin(&c, trid))
		return EINVAL;
	ktrace_posix_stream_status(c.control->stream, info);
	return end(&c, 0);
}

/**
 * posix_trace_get_filter - the events that a stream does not record
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_get_filter(trace_id_t trid, trace_event_set_t *set)
{
	struct call c;

	if (!begin(&c, trid))
		return EINVAL;
	ktrace_posix_stream_get_filter(c.control->stream, set);
	return end(&c, 0);
}

/**
 * posix_trace_set_filter - change which events a stream does not record (PTRC-60, PTRC-61)
 * @trid:	the stream
 * @set:	events
 * @how:	POSIX_TRACE_SET_EVENTSET, POSIX_TRACE_ADD_EVENTSET, POSIX_TRACE_SUB_EVENTSET
 *
 * Return: 0, EINVAL not an active stream, or @how is none of these.
 */
int posix_trace_set_filter(trace_id_t trid, const trace_event_set_t *set, int how)
{
	struct call c;

	if (!begin(&c, trid))
		return EINVAL;
	return end(&c, ktrace_posix_stream_set_filter(c.control->stream, set, how,
						      __builtin_return_address(0)));
}

/* Where a reader wants an event to. */
struct destination {
	struct posix_trace_event_info *info;
	void *data;
	size_t size;
	size_t *len;
	int *unavailable;
};

static void deliver(const struct posix_item *item, const struct destination *to)
{
	const size_t len = item->head.size < to->size ? item->head.size : to->size;

	*to->info = (struct posix_trace_event_info) {
		.posix_event_id = item->rec.id - POSIX_RING_ID,
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

static bool try_next(struct posix_control *c, const struct destination *to)
{
	struct posix_item item;

	if (!ktrace_posix_stream_next(c->stream, &item))
		return false;
	deliver(&item, to);
	return true;
}

/**
 * posix_trace_trygetnext_event - the next event of an active stream, if there is one (PTRC-75)
 * @trid:	the stream
 * @event:	out: what is known of it
 * @data:	out: its data; may be NULL if @num_bytes is 0
 * @num_bytes:	room there
 * @data_len:	out: bytes of data (PTRC-73)
 * @unavailable: out: not 0: there is none
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_trygetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
				 void *restrict data, size_t num_bytes,
				 size_t *restrict data_len, int *restrict unavailable)
{
	const struct destination to = { event, data, num_bytes, data_len, unavailable };
	struct call c;

	if (!begin(&c, trid))
		return EINVAL;
	if (!try_next(c.control, &to)) {
		*unavailable = 1;
		*data_len = 0;
	}
	return end(&c, 0);
}

static bool is_time(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* Milliseconds until then, at most WAIT_MS; 0 = it is past. The clock may be set meanwhile. */
static long time_left(const struct timespec *until)
{
	struct timespec now;
	long s;

	if (!until)
		return WAIT_MS;
	clock_gettime(CLOCK_REALTIME, &now);
	if (until->tv_sec - now.tv_sec > 1)
		return WAIT_MS;
	s = (long)(until->tv_sec - now.tv_sec);
	if (s < 0)
		return 0;
	s = s * 1000000000 + until->tv_nsec - now.tv_nsec;
	if (s <= 0)
		return 0;
	return s / 1000000 < WAIT_MS ? s / 1000000 + 1 : WAIT_MS;
}

static void release(void *trid)
{
	ktrace_posix_trid_put(trid);
}

/* Sleeps without the lock; here the thread can be cancelled. */
static int sleep_for(struct call *c, __u32 news, long timeout_ms)
{
	int error;

	pthread_mutex_unlock(&c->control->lock);
	pthread_cleanup_push(release, c->trid);
	pthread_setcancelstate(c->cancel_state, NULL);
	error = ktrace_posix_stream_wait(c->control->stream, news, timeout_ms);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cleanup_pop(0);
	pthread_mutex_lock(&c->control->lock);
	return error;
}

static int wait_for_event(struct call *c, const struct destination *to,
			  const struct timespec *until)
{
	int error = 0;

	while (!error) {
		__u32 news;
		long left;

		if (__atomic_load_n(&c->control->is_ended, __ATOMIC_RELAXED))
			return EINVAL;
		if (try_next(c->control, to))
			return 0;
		news = ktrace_posix_stream_listen(c->control->stream);
		if (try_next(c->control, to))
			return 0;
		if (until && !is_time(until))
			return EINVAL;
		left = time_left(until);
		if (!left)
			return ETIMEDOUT;
		error = sleep_for(c, news, left);
	}
	return error;
}

static int get_event(trace_id_t trid, const struct destination *to, const struct timespec *until)
{
	struct posix_recorded *r;
	struct call c;
	int error;

	pthread_testcancel();
	r = begin_recorded(&c, trid);
	if (r)
		return end_recorded(&c, ktrace_posix_recorded_next(r, to->info, to->data, to->size,
								   to->len, to->unavailable));
	if (!begin(&c, trid))
		return EINVAL;
	error = wait_for_event(&c, to, until);
	if (error == ETIMEDOUT)
		*to->unavailable = 1;
	return end(&c, error);
}

/**
 * posix_trace_getnext_event - the next event of a stream; waits for it (PTRC-71)
 *
 * As posix_trace_trygetnext_event(), but for streams of all kinds. A cancellation point.
 *
 * Return: 0; EINVAL no stream, or it was shut down meanwhile; EINTR a signal.
 */
int posix_trace_getnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
			      void *restrict data, size_t num_bytes, size_t *restrict data_len,
			      int *restrict unavailable)
{
	const struct destination to = { event, data, num_bytes, data_len, unavailable };

	return get_event(trid, &to, NULL);
}

/**
 * posix_trace_timedgetnext_event - the next event of a stream; waits for it until some time
 * @abstime:	CLOCK_REALTIME; not looked at if there is an event (PTRC-76)
 *
 * Return: as posix_trace_getnext_event(); ETIMEDOUT there is none; EINVAL also for a bad time.
 */
int posix_trace_timedgetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
				   void *restrict data, size_t num_bytes,
				   size_t *restrict data_len, int *restrict unavailable,
				   const struct timespec *restrict abstime)
{
	const struct destination to = { event, data, num_bytes, data_len, unavailable };

	return get_event(trid, &to, abstime);
}
