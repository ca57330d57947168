// SPDX-License-Identifier: LGPL-2.1
/*
 * stream.c - the life of an active stream: create, start, stop, clear, filter, status
 *
 * Each CPU's ring alone can hold the stream's size, whatever the mix of events. The calculation
 * assumes that a block is left when the next event does not fit, at worst the largest, and that one
 * block is kept free.
 */
#include "stream_internal.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lost.h"
#include "posix/registry/names.h"
#include "ring/ring.h"
#include "sink.h"

#define REGISTRY_SIZE 65536u
#define THREAD_RINGS 8u
#define BLOCK_MAX 65536u
#define MARKS 4u	/* OVERFLOW, RESUME, STOP, START */

__u64 ktrace_posix_now(const struct posix_stream *s)
{
	return kt_clock(s->clock_id);
}

/*
 * Returns an eighth of the ring, as opening a block takes a while; at least several of the largest
 * events.
 */
static size_t block_size_of(size_t ring, size_t event)
{
	size_t block = KTRACE_BLOCK_MIN;

	while (block < 4 * event || (block < ring / 8 && block < BLOCK_MAX))
		block *= 2;
	return block;
}

/* Returns the capacity of a ring, whatever the mix of events. */
static size_t room_of(size_t ring, size_t event)
{
	const size_t block = block_size_of(ring, event);

	return ring < 4 * block ? 0 : (ring / block - 3) * (block - KT_OPENING_MAX - event);
}

/* Sets the smallest sufficient ring size, and the stream's size to the capacity of one ring. */
static void set_sizes(struct posix_attr *a, struct ktrace_session_options *o)
{
	const size_t event = posix_event_size(a->data_size);
	size_t ring = KTRACE_BLOCK_MIN, room;

	while (room_of(ring, event) < a->stream_size)
		ring *= 2;
	room = room_of(ring, event);
	a->stream_size = room < POSIX_STREAM_SIZE_MAX ? room : POSIX_STREAM_SIZE_MAX;
	o->block_size = (__u32)block_size_of(ring, event);
	o->ring_size = ring;
	o->thread_size = ring;
}

static int make_session(struct posix_stream *s)
{
	struct ktrace_session_options opts = {
		.size = sizeof(opts),
		.policy = s->stops ? KTRACE_POLICY_STOP : KTRACE_POLICY_OVERWRITE,
		.registry_size = REGISTRY_SIZE,
		.thread_nr = THREAD_RINGS,
	};
	const char *backend = secure_getenv("KTRACE_BACKEND");
	struct ktrace_session_info info;
	int error;

	if (backend && !strcmp(backend, "dev"))
		opts.backend = KTRACE_BACKEND_DEV;
	else if (backend && !strcmp(backend, "shm"))
		opts.backend = KTRACE_BACKEND_SHM;
	set_sizes(&s->attr, &opts);
	error = ktrace_session_create(&opts, &s->session, NULL);
	/* The module's limit of sessions per user is below the limit of streams. */
	if (error == -EBUSY || error == -EDQUOT) {
		opts.backend = KTRACE_BACKEND_SHM;
		error = ktrace_session_create(&opts, &s->session, NULL);
	}
	if (!error)
		error = ktrace_session_info(s->session, &info);
	if (error)
		return error == -EINVAL ? EINVAL : ENOMEM;
	s->clock_id = info.clock;
	if (strlen(info.env) >= sizeof(s->place->where))
		return ENOMEM;
	strcpy(s->place->where, info.env);
	s->ring_nr = ktrace_stream_nr(s->session);
	s->fronts = calloc(s->ring_nr, sizeof(*s->fronts));
	s->buffer = malloc(65536);
	if (!s->fronts || !s->buffer)
		return ENOMEM;
	ktrace_session_clock(s->session, &s->clock);
	s->attr.resolution = ktrace_posix_resolution(s->clock.hz);
	return 0;
}

/* Traces all processes. New processes read `all` after they have taken their slot. */
static void trace_all(struct posix_stream *s)
{
	__atomic_fetch_or(&s->registry->all, s->bit, __ATOMIC_RELAXED);
	/* ORD(trace_all:A) pairs ORD(take_place:A): at least one side sees the other's store */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (kt_load(&s->registry->process[i].pid))
			__atomic_fetch_or(&s->registry->process[i].streams, s->bit,
					  __ATOMIC_RELAXED);
}

static int trace_process(struct posix_stream *s, pid_t pid)
{
	uid_t uid;
	const __u64 start = ktrace_posix_start_time(pid, &uid);

	if (!start || start == POSIX_START_UNKNOWN)
		return start ? ENOMEM : ESRCH;
	return ktrace_posix_registry_trace(s->registry, pid, start, s->bit) ? 0 : ENOMEM;
}

static void publish(struct posix_stream *s)
{
	s->place->max_data = (__u32)s->attr.data_size;
	s->place->policy = (__u32)s->attr.stream_policy;
	s->word = ktrace_posix_registry_publish(s->registry, s->nr);
	if (s->attr.inheritance == POSIX_TRACE_INHERITED)
		__atomic_fetch_or(&s->registry->inherit, s->bit, __ATOMIC_RELAXED);
}

int ktrace_posix_stream_create(struct posix_attr *attr, pid_t pid,
			       const struct posix_owner *controller,
				       struct posix_registry *registry,
			       struct posix_stream **out)
{
	struct posix_stream *s = calloc(1, sizeof(*s));
	int nr = -ENOMEM, error;

	if (registry && s) {
		ktrace_posix_sinks_sweep(registry);
		nr = ktrace_posix_registry_stream(registry, controller);
	}
	if (nr < 0) {
		free(s);
		return -nr;
	}
	s->nr = (__u32)nr;
	s->registry = registry;
	s->place = &registry->stream[nr];
	s->word = kt_load(&s->place->word);
	s->bit = 1ull << nr;
	clock_gettime(CLOCK_REALTIME, &attr->created);
	s->attr = *attr;
	s->stops = attr->stream_policy != POSIX_TRACE_LOOP;
	error = make_session(s);
	if (!error) {
		publish(s);
		ktrace_session_start(s->session);
		if (pid == POSIX_TRACE_ALLPROC)
			trace_all(s);
		else
			error = trace_process(s, pid);
		ktrace_posix_names_join(registry, s->nr);
	}
	if (error) {
		ktrace_posix_stream_destroy(s);
		return error;
	}
	*out = s;
	return 0;
}

static void free_stream(struct posix_stream *s)
{
	while (s->queue.first)
		ktrace_posix_queue_pop(&s->queue);
	free(s->fronts);
	free(s->buffer);
	free(s);
}

void ktrace_posix_stream_destroy(struct posix_stream *s)
{
	bool is_ours;

	if (!s)
		return;
	is_ours = ktrace_posix_registry_close(s->registry, s->nr, s->word);
	ktrace_session_destroy(s->session);
	if (is_ours)
		ktrace_posix_registry_release(s->registry, s->nr);
	free_stream(s);
}

void ktrace_posix_stream_forget(struct posix_stream *s)
{
	if (!s)
		return;
	ktrace_session_forget(s->session);
	free_stream(s);
}

static bool is_running(const struct posix_stream *s)
{
	return kt_load(&s->registry->running) & s->bit;
}

/* True if it stopped because it was full, without an explicit stop since. */
static bool is_full(const struct posix_stream *s)
{
	return kt_load(&s->registry->full) & s->bit;
}

/* True if it was full when it was stopped, or the controller's events leave no room for START. */
static bool is_full_stopped(struct posix_stream *s)
{
	return (s->was_full && (s->stop_due || ktrace_posix_has_unread(s))) ||
	       (!s->is_wanted && !ktrace_posix_queue_has_room(s, sizeof(trace_event_set_t)));
}

struct posix_registry_stream *ktrace_posix_stream_place(const struct posix_stream *s)
{
	return s->place;
}

void ktrace_posix_stream_start(struct posix_stream *s, const void *address)
{
	if (s->is_wanted)
		return;
	if (is_full_stopped(s))
		return;		/* no effect while it is full */
	s->was_full = false;
	s->is_wanted = true;
	ktrace_posix_queue_push(s, POSIX_TRACE_START, address, s->place->filter,
				sizeof(trace_event_set_t));
	posix_run(s->registry, s->bit);
	ktrace_posix_place_wake(s->place);
}

void ktrace_posix_stream_stop(struct posix_stream *s, const void *address)
{
	const int explicit = 0;

	if (!s->is_wanted)
		return;
	s->is_wanted = false;
	if (!posix_halt(s->registry, s->bit)) {
		/* A writer has found it full: it stays so, and does not restart. */
		s->was_full = true;
		s->stop_due = true;
		s->restart_due = false;
		__atomic_fetch_and(&s->registry->full, ~s->bit, __ATOMIC_RELAXED);
		return;
	}
	ktrace_posix_queue_push(s, POSIX_TRACE_STOP, address, &explicit, sizeof(explicit));
	ktrace_posix_place_wake(s->place);
}

static __u64 sum_lost(const struct posix_stream *s, struct ktrace_lost *sum)
{
	*sum = (struct ktrace_lost) { 0 };
	for (__u32 i = 0; i < s->ring_nr; i++) {
		struct ktrace_lost lost;

		ktrace_stream_lost(s->session, i, &lost);
		lost_add(sum, &lost);
	}
	sum->count[KTRACE_LOST_NORING] += kt_load(&s->place->missed);
	sum->count[s->stops ? KTRACE_LOST_STOPPED : KTRACE_LOST_OVERWRITTEN] += s->dropped;
	return lost_total(sum->count);
}

void ktrace_posix_stream_clear(struct posix_stream *s)
{
	const bool runs = s->is_wanted, has_stopped = runs && !is_running(s);
	struct ktrace_lost lost;

	memset(s->place->filter, 0, sizeof(trace_event_set_t));
	s->clear_ts = ktrace_posix_now(s);
	ktrace_posix_drain(s);
	s->is_started = runs && !has_stopped;
	s->had_no_room = false;
	s->was_full = s->stop_due = s->restart_due = s->start_due = false;
	s->gap = GAP_NONE;
	s->lost_seen = sum_lost(s, &lost);
	__atomic_fetch_and(&s->registry->full, ~s->bit, __ATOMIC_RELAXED);
	if (has_stopped)
		ktrace_posix_restart(s);
	else if (runs)
		posix_run(s->registry, s->bit);
}

void ktrace_posix_stream_get_filter(const struct posix_stream *s, trace_event_set_t *set)
{
	memcpy(set, s->place->filter, sizeof(*set));
}

int ktrace_posix_stream_set_filter(struct posix_stream *s, const trace_event_set_t *set, int how,
				   const void *address)
{
	__u64 *filter = s->place->filter;
	trace_event_set_t sets[2];

	if (how != POSIX_TRACE_SET_EVENTSET && how != POSIX_TRACE_ADD_EVENTSET &&
	    how != POSIX_TRACE_SUB_EVENTSET)
		return EINVAL;
	if (set->__word[0] & 1)
		return EINVAL;	/* 0 is not an event: the set is not initialised */
	memcpy(&sets[0], filter, sizeof(sets[0]));
	for (__u32 i = 0; i < POSIX_SET_WORDS; i++) {
		const __u64 old = sets[0].__word[i], arg = set->__word[i];

		sets[1].__word[i] = how == POSIX_TRACE_SET_EVENTSET ? arg :
				    how == POSIX_TRACE_ADD_EVENTSET ? old | arg : old & ~arg;
		kt_store(&filter[i], sets[1].__word[i]);
	}
	if (!is_running(s))
		return 0;
	if (ktrace_posix_queue_has_room(s, sizeof(sets))) {
		ktrace_posix_queue_push(s, POSIX_TRACE_FILTER, address, sets, sizeof(sets));
	} else {
		s->dropped++;
		__atomic_fetch_or(&s->registry->full, s->bit, __ATOMIC_RELAXED);
		posix_halt(s->registry, s->bit);
	}
	ktrace_posix_place_wake(s->place);
	return 0;
}

bool ktrace_posix_stream_is_recording(const struct posix_stream *s)
{
	return is_running(s) || is_full(s);
}

void ktrace_posix_stream_mark(struct posix_stream *s, trace_event_id_t id, const void *address)
{
	ktrace_posix_queue_push(s, id, address, NULL, 0);
}

/* True if a ring has no block left that is neither unread nor being written. */
static bool has_full_ring(const struct posix_stream *s, __u32 divisor)
{
	for (__u32 i = 0; i < s->ring_nr; i++) {
		struct ktrace_stream info;

		ktrace_stream_info(s->session, i, &info);
		if (ktrace_stream_unread(s->session, i) >
		    (info.size - 2 * info.block_size) / divisor)
			return true;
	}
	return false;
}

void ktrace_posix_stream_status(struct posix_stream *s, struct posix_trace_status_info *info)
{
	struct ktrace_lost lost;
	__u64 all;
	bool full, running;

	ktrace_posix_look(s);
	running = is_running(s);
	full = s->stops ? is_full_stopped(s) || (!running && is_full(s)) : has_full_ring(s, 1);
	all = sum_lost(s, &lost);
	*info = (struct posix_trace_status_info) {
		.posix_stream_status = running ? POSIX_TRACE_RUNNING : POSIX_TRACE_SUSPENDED,
		.posix_stream_full_status = full ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL,
		.posix_stream_overrun_status = all > s->lost_seen ? POSIX_TRACE_OVERRUN
								  : POSIX_TRACE_NO_OVERRUN,
	};
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		info->posix_stream_lost[i] = lost.count[i];
	s->lost_seen = all;
}

const struct posix_attr *ktrace_posix_stream_attr(const struct posix_stream *s)
{
	return &s->attr;
}

struct posix_registry *ktrace_posix_stream_registry(const struct posix_stream *s)
{
	return s->registry;
}

struct ktrace_session *ktrace_posix_stream_session(const struct posix_stream *s)
{
	return s->session;
}

__u32 ktrace_posix_stream_nr(const struct posix_stream *s)
{
	return s->nr;
}

bool ktrace_posix_stream_has_news(struct posix_stream *s)
{
	return is_full(s) || s->stop_due || ktrace_posix_has_news(s);
}

size_t ktrace_posix_stream_most(const struct posix_stream *s)
{
	size_t bytes = s->queue.size;

	for (__u32 i = 0; i < s->ring_nr; i++)
		bytes += ktrace_stream_unread(s->session, i);
	return bytes / posix_event_size(0) + MARKS;
}

bool ktrace_posix_stream_is_full(struct posix_stream *s)
{
	return is_full(s) || ktrace_posix_stream_is_steered(s) || has_full_ring(s, 2);
}

bool ktrace_posix_stream_is_steered(const struct posix_stream *s)
{
	return s->queue.size > s->attr.stream_size / 2;
}

__u32 ktrace_posix_place_listen(struct posix_registry_stream *place)
{
	__u32 news;

	if (!place)
		return 0;
	news = kt_load(&place->news);
	/* A locked instruction: later loads cannot move before it. */
	__atomic_exchange_n(&place->is_waiting, 1, __ATOMIC_RELAXED);
	return news;
}

bool ktrace_posix_place_wait(struct posix_registry_stream *place, __u32 news, long timeout_ms)
{
	const struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000 };
	bool is_over;
	int type;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	if (place)
		is_over = syscall(SYS_futex, &place->news, FUTEX_WAIT, news, &timeout, NULL, 0) &&
			  errno == ETIMEDOUT;
	else
		is_over = !syscall(SYS_nanosleep, &timeout, NULL);
	pthread_setcanceltype(type, NULL);
	return !is_over;
}

void ktrace_posix_place_wake(struct posix_registry_stream *place)
{
	__atomic_fetch_add(&place->news, 1, __ATOMIC_RELAXED);
	syscall(SYS_futex, &place->news, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
