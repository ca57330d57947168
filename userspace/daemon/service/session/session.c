// SPDX-License-Identifier: GPL-2.0
/* session.c - a recording: its buffers, instances of data sources, and state */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "clone.h"
#include "commit.h"
#include "consumer.h"
#include "control.h"
#include "file.h"
#include "flush.h"
#include "instance.h"
#include "sched_boost.h"
#include "service/buffer/filter.h"
#include "service/buffer/sequence_ids.h"
#include "service/buffer/trace_buffer.h"
#include "service_packets.h"
#include "source_matching.h"
#include "trigger.h"

#define SNAPSHOT_MS 10000
#define SLOW_START_MS 20000
#define STOP_TIMEOUT_MS 5000
/* Time for a consumer to attach to a session that was over when it was detached */
#define OVER_MS 60000

#define START_TRACING PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__START_TRACING
#define STOP_TRACING PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__STOP_TRACING
#define CLONE_SNAPSHOT PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__CLONE_SNAPSHOT

uint64_t aligned_delay_ms(uint32_t period_ms)
{
	return period_ms - clock_ns(CLOCK_REALTIME) / NS_PER_MS % period_ms;
}

int session_trigger_mode(const struct session *session)
{
	const Pft__TraceConfig__TriggerConfig *config = session->config->trigger_config;
	int mode = config ? (int)config->trigger_mode : 0;

	return mode == STOP_TRACING && config->use_clone_snapshot_if_available ?
	       (int)CLONE_SNAPSHOT : mode;
}

uint32_t session_stop_timeout_ms(const struct session *session)
{
	return session->config->data_source_stop_timeout_ms ?: STOP_TIMEOUT_MS;
}

bool session_is_running(const struct session *session)
{
	return session->state == SESSION_CONFIGURED || session->state == SESSION_STARTED ||
	       session->state == SESSION_STOP_WAIT;
}

/* A session with CLONE_SNAPSHOT is read only through its clones. */
bool session_waits_for_trigger(const struct session *session)
{
	const Pft__TraceConfig__TriggerConfig *config = session->config->trigger_config;

	if (session->state == SESSION_CLONED || !config || !config->n_triggers)
		return false;
	return !session->was_triggered || session_trigger_mode(session) == CLONE_SNAPSHOT;
}

bool session_allows(const struct session *session, uid_t uid)
{
	return !uid || uid == session->uid;
}

const char *session_state_name(const struct session *session)
{
	static const char *const names[] = {
		[SESSION_CONFIGURED] = "CONFIGURED", [SESSION_STARTED] = "STARTED",
		[SESSION_STOP_WAIT] = "STOP_WAIT", [SESSION_DISABLED] = "DISABLED",
		[SESSION_CLONED] = "CLONED_READ_ONLY",
	};

	return names[session->state];
}

struct session *session_find(const struct service *s, uint64_t id)
{
	struct session *session;

	TAILQ_FOREACH(session, &s->sessions, link)
		if (session->id == id)
			return session;
	return NULL;
}

/* Returns the timers of the clock that duration_ms refers to. */
static struct timers *duration_timers(const struct session *session)
{
	return session->config->prefer_suspend_clock_for_duration ?
	       &session->service->boot_timers : &session->service->timers;
}

static struct timers *snapshot_timers(const struct session *session)
{
	const Pft__TraceConfig__BuiltinDataSource *wish = session->config->builtin_data_sources;

	return wish && wish->prefer_suspend_clock_for_snapshot ?
	       &session->service->boot_timers : &session->service->timers;
}

static void finish(void *arg)
{
	session_finish(arg);
}

/* Ends the session, unless a trigger has stopped it, which has its own delay. */
static void duration_over(void *arg)
{
	struct session *session = arg;

	if (session_trigger_mode(session) != STOP_TRACING || !session->was_triggered)
		session_finish(session);
}

static void acks_over(void *arg);

static void start_too_slow(void *arg)
{
	struct session *session = arg;

	if (!session->have_all_started)
		service_packets_slow_start(session);
}

static void snapshot(void *arg)
{
	struct session *session = arg;
	const Pft__TraceConfig__BuiltinDataSource *wish = session->config->builtin_data_sources;

	session->own.wants_mark = session->own.wants_stats = true;
	service_packets_clocks(session);
	control_measure(session);
	timer_set(snapshot_timers(session), &session->snapshot_timer,
		  wish && wish->snapshot_interval_ms ? wish->snapshot_interval_ms : SNAPSHOT_MS);
}

static void flush_due(void *arg)
{
	struct session *session = arg;

	flush_start(session, 0, FLUSH_BY_SERVICE | FLUSH_PERIODIC, NULL, NULL);
	timer_set(&session->service->timers, &session->flush_timer,
		  aligned_delay_ms(session->flush_period_ms));
}

static uint32_t clear_period(const struct session *session)
{
	const Pft__TraceConfig__IncrementalStateConfig *wish =
		session->config->incremental_state_config;

	return wish ? wish->clear_period_ms : 0;
}

static void clear_due(void *arg)
{
	struct session *session = arg;
	struct instance *i;

	TAILQ_FOREACH(i, &session->instances, link)
		if (i->clears_state)
			producer_clear_state(i->producer, &i->id, 1);
	timer_set(&session->service->timers, &session->clear_timer,
		  aligned_delay_ms(clear_period(session)));
}

static void trigger_too_late(void *arg)
{
	struct session *session = arg;

	if (!session->was_triggered)
		session_stop(session, true, NULL);
}

/* Frees a session that ended without a consumer, unless one has attached since. */
static void forgotten(void *arg)
{
	struct session *session = arg;

	if (!session->consumer)
		session_free(session, NULL);
}

static void init_timers(struct session *session)
{
	session->stop_timer = (struct timer) { .fire = duration_over, .arg = session };
	session->ack_timer = (struct timer) { .fire = acks_over, .arg = session };
	session->slow_timer = (struct timer) { .fire = start_too_slow, .arg = session };
	session->snapshot_timer = (struct timer) { .fire = snapshot, .arg = session };
	session->flush_timer = (struct timer) { .fire = flush_due, .arg = session };
	session->clear_timer = (struct timer) { .fire = clear_due, .arg = session };
	session->trigger_timer = (struct timer) { .fire = trigger_too_late, .arg = session };
	session->hit_timer = (struct timer) { .fire = finish, .arg = session };
	session->end_timer = (struct timer) { .fire = forgotten, .arg = session };
}

static void stop_periodic(struct session *session)
{
	struct timers *t = &session->service->timers;

	timer_stop(duration_timers(session), &session->stop_timer);
	timer_stop(snapshot_timers(session), &session->snapshot_timer);
	timer_stop(t, &session->slow_timer);
	timer_stop(t, &session->flush_timer);
	timer_stop(t, &session->clear_timer);
	timer_stop(t, &session->write_timer);
	timer_stop(t, &session->trigger_timer);
	timer_stop(t, &session->hit_timer);
	timer_stop(t, &session->end_timer);
}

struct session *session_alloc(struct service *s, Pft__TraceConfig *config, uid_t uid)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session) {
		pft__trace_config__free_unpacked(config, NULL);
		return NULL;
	}
	session->service = s;
	session->config = config;
	session->uid = uid;
	session->flush_period_ms = config->flush_period_ms;
	session->duration_ms = config->duration_ms;
	TAILQ_INIT(&session->instances);
	TAILQ_INIT(&session->flushes);
	LIST_INIT(&session->delayed);
	init_timers(session);
	service_packets_init(session);
	session->control.port.fd = -1;
	return session;
}

static bool free_next(void *arg)
{
	struct session *session = arg;

	if (session->buffer_nr) {
		session->buffer_nr -=
			!trace_buffer_free_step(session->buffers[session->buffer_nr - 1].trace);
		return true;
	}
	free(session->buffers);
	free(session);
	return false;
}

void session_release(struct session *session)
{
	const uint64_t lost = session->packets_lost - session->lost_before;
	const uint64_t too_large = session->packets_too_large - session->too_large_before;

	if (lost)
		log_error("session %llu: out of memory; lost packets: %llu",
			  (unsigned long long)session->id, (unsigned long long)lost);
	if (too_large)
		log_error("session %llu: packets lost because they were larger than %u MiB or in "
			  "more than %u chunks: %llu", (unsigned long long)session->id,
			  TRACE_BUFFER_PACKET_MAX >> 20, TRACE_BUFFER_PACKET_CHUNKS,
			  (unsigned long long)too_large);
	for (size_t i = 0; i < session->buffer_nr; i++)
		service_remove_buffer(session->service, &session->buffers[i]);
	sequence_ids_exit(&session->numbers);
	service_packets_exit(session);
	filter_free(session->filter);
	free(session->filter_counts.discarded);
	free(session->scratch[0]);
	free(session->scratch[1]);
	free(session->key);
	free(session->end_error);
	free(session->control.is_off);
	batch_exit(&session->file.batch);
	pft__trace_config__free_unpacked(session->config, NULL);
	session->freeing = (struct work) { .owner = WORK_OF_SESSION, .step = free_next,
					   .arg = session };
	work_begin(&session->service->works, &session->freeing);
}

bool session_make_buffers(struct session *session, char *error)
{
	const Pft__TraceConfig *config = session->config;

	session->buffers = calloc(config->n_buffers + 1, sizeof(*session->buffers));
	if (!session->buffers)
		goto err;
	for (size_t i = 0; i < config->n_buffers; i++) {
		const Pft__TraceConfig__BufferConfig *wish = config->buffers[i];
		struct buffer *b = &session->buffers[i];
		bool discards = wish->fill_policy ==
				PFT__TRACE_CONFIG__BUFFER_CONFIG__FILL_POLICY__DISCARD;

		b->session = session;
		if (trace_buffer_alloc(&b->trace, wish->size_kb * (size_t)1024,
				       discards ? TRACE_BUFFER_DISCARD : TRACE_BUFFER_RING))
			goto err;
		if (service_add_buffer(session->service, b)) {
			trace_buffer_free(b->trace);
			goto err;
		}
		session->buffer_nr++;
	}
	return true;

err:
	snprintf(error, SESSION_ERROR_MAX, "Failed to allocate tracing buffers: out of memory or "
		 "too many buffers");
	return false;
}

void session_publish(struct session *session)
{
	session->id = ++session->service->last_session;
	TAILQ_INSERT_TAIL(&session->service->sessions, session, link);
	session->service->session_nr++;
}

void session_set_uuid(struct session *session, const Pft__TraceConfig *config)
{
	session->uuid[0] = config ? config->trace_uuid_lsb : 0;
	session->uuid[1] = config ? config->trace_uuid_msb : 0;
	if (session->uuid[0] || session->uuid[1])
		return;
	if (getrandom(session->uuid, sizeof(session->uuid), 0) < 0)
		session->uuid[0] = (int64_t)clocks_boot_ns();
	/* Marks it as random, version 4, in the byte order of memory */
	((uint8_t *)session->uuid)[6] = (((uint8_t *)session->uuid)[6] & 0x0f) | 0x40;
	((uint8_t *)session->uuid)[8] = (((uint8_t *)session->uuid)[8] & 0x3f) | 0x80;
}

/* True if the filter has rules for texts: they are not supported here, and must not be ignored. */
static bool has_text_rules(const Pft__TraceConfig__TraceFilter *wish)
{
	return (wish->string_filter_chain && wish->string_filter_chain->n_rules) ||
	       (wish->string_filter_chain_v54 && wish->string_filter_chain_v54->n_rules) ||
	       (wish->has_bytecode_overlay_v54 && wish->bytecode_overlay_v54.len);
}

bool session_load_filter(struct session *session, char *error)
{
	const Pft__TraceConfig__TraceFilter *wish = session->config->trace_filter;
	const ProtobufCBinaryData *code;
	const char *why = NULL;

	if (!wish)
		return true;
	code = wish->has_bytecode_v2 ? &wish->bytecode_v2 : &wish->bytecode;
	session->filter_counts.discarded = calloc(session->config->n_buffers + 1, sizeof(uint64_t));
	if (has_text_rules(wish))
		why = "string filter rules are not supported";
	else if (session->filter_counts.discarded &&
		 !filter_load(&session->filter, code->data, code->len, &why))
		return true;
	if (error)
		snprintf(error, SESSION_ERROR_MAX, "Failed to load the trace filter: %s",
			 why ? why : "out of memory");
	return false;
}

void session_start(struct session *session)
{
	struct timers *t = &session->service->timers;

	if (session->state != SESSION_CONFIGURED)
		return;
	session->look.wants_start = session->look.is_first;
	if (session->look.wants_start)
		return;
	timer_stop(t, &session->trigger_timer);
	session->state = SESSION_STARTED;
	session->control.start_ns = now_ns();
	service_packets_first_clocks(session);
	service_packets_event(session, SERVICE_PACKETS_STARTED, false);
	snapshot(session);
	if (session->duration_ms)
		timer_set(duration_timers(session), &session->stop_timer, session->duration_ms);
	file_schedule(session);
	if (session->flush_period_ms)
		timer_set(t, &session->flush_timer, aligned_delay_ms(session->flush_period_ms));
	if (clear_period(session))
		timer_set(t, &session->clear_timer, aligned_delay_ms(clear_period(session)));
	instances_start(session);
	session_check_started(session);
	timer_set(t, &session->slow_timer, SLOW_START_MS);
}

void session_check_started(struct session *session)
{
	if (session->state == SESSION_STARTED && !session->have_all_started &&
	    instances_all(session, INSTANCE_STARTED)) {
		session->have_all_started = true;
		service_packets_event(session, SERVICE_PACKETS_ALL_STARTED, true);
	}
	if (session->have_all_started && session->consumer && !session->is_start_known)
		session->is_start_known = consumer_tell_all_started(session->consumer);
}

/* Called when all data of the session is in its place. */
static void over(struct session *session)
{
	char error[SESSION_ERROR_MAX];

	if (session->is_over)
		return;
	session->is_over = true;
	control_close(session);
	if (session->consumer) {
		consumer_tell_disabled(session->consumer, file_failed(session, error) ? error :
				       session->end_error);
	} else {
		if (session->end_error)
			log_error("session %llu: %s", (unsigned long long)session->id,
				  session->end_error);
		/* Deferred, as callers walk the list of sessions. */
		timer_set(&session->service->timers, &session->end_timer, 0);
	}
	service_ended_session(session->service);
}

/* Called when the buffers are complete. */
static void disabled(struct session *session)
{
	session->state = SESSION_DISABLED;
	for (size_t i = 0; i < session->buffer_nr; i++)
		trace_buffer_finish(session->buffers[i].trace);
	service_packets_event(session, SERVICE_PACKETS_DISABLED, true);
	if (session->consumer)
		connection_resume(session->consumer->peer);
	if (!file_close(session))
		over(session);
}

static bool scrape_next(void *arg)
{
	struct session *session = arg;
	struct producer *p = session->scrape.next;

	if (!p) {
		disabled(session);
		return false;
	}
	session->scrape.next = TAILQ_NEXT(p, link);
	commit_scrape(session, p);
	return true;
}

static void begin_end(struct session *session, const char *error)
{
	session->scrape.is_begun = true;
	session->scrape.next = TAILQ_FIRST(&session->service->producers);
	session->scrape.work = (struct work) { .owner = WORK_OF_SESSION,
						.step = scrape_next, .arg = session };
	session->end_error = error ? strdup(error) : NULL;
	timer_stop(&session->service->timers, &session->ack_timer);
	stop_periodic(session);
	instances_stopped(session);
}

/* Takes nothing more for a freed session without a file, as nobody will read it. */
static void disable(struct session *session, const char *error)
{
	struct works *works = &session->service->works;

	if (!session->scrape.is_begun)
		begin_end(session, error);
	if (session->is_freed && !session->file.disk) {
		work_stop(works, &session->scrape.work);
		disabled(session);
		return;
	}
	work_begin(works, &session->scrape.work);
	if (session->state == SESSION_STOP_WAIT && session->consumer)
		connection_pause(session->consumer->peer);
}

static void acks_over(void *arg)
{
	disable(arg, NULL);
}

void session_check_stopped(struct session *session)
{
	if (session->state == SESSION_STOP_WAIT && !session->scrape.is_begun &&
	    instances_all(session, INSTANCE_STOPPED))
		disable(session, NULL);
}

void session_stop(struct session *session, bool now, const char *error)
{
	switch (session->state) {
	case SESSION_DISABLED:
	case SESSION_CLONED:
		return;
	case SESSION_STOP_WAIT:
		if (now)
			disable(session, error);
		return;
	case SESSION_CONFIGURED:
		now = true;
		break;
	case SESSION_STARTED:
		break;
	}
	stop_periodic(session);
	session->state = SESSION_STOP_WAIT;
	instances_stop(session, now);
	if (now || instances_all(session, INSTANCE_STOPPED))
		disable(session, error);
	else
		timer_set(&session->service->timers, &session->ack_timer,
			  session_stop_timeout_ms(session));
}

static void finished(struct session *session, void *arg, bool is_done)
{
	(void)arg;
	/* The first flush decides the outcome for the session. */
	if (!session || session->flush_counts.final)
		return;
	session->flush_counts.final = is_done ?
		PFT__TRACE_STATS__FINAL_FLUSH_OUTCOME__FINAL_FLUSH_SUCCEEDED :
		PFT__TRACE_STATS__FINAL_FLUSH_OUTCOME__FINAL_FLUSH_FAILED;
	session_stop(session, false, NULL);
}

void session_finish(struct session *session)
{
	if (session->state == SESSION_CONFIGURED || session->state == SESSION_STARTED)
		flush_start(session, 0, FLUSH_BY_SERVICE | FLUSH_STOP, finished, NULL);
}

void session_detach(struct session *session)
{
	session->consumer->session = NULL;
	session->consumer = NULL;
	if (session->is_over)
		timer_set(&session->service->timers, &session->end_timer, OVER_MS);
}

void session_free(struct session *session, const char *error)
{
	struct service *s = session->service;

	session->is_freed = true;
	source_matching_stop(session);
	session_stop(session, true, error);
	if (session->state != SESSION_CLONED)
		over(session);
	else if (session->consumer)
		clone_freed(session);
	flush_cancel(session);
	trigger_cancel(session);
	stop_periodic(session);
	instances_free(session);
	if (session->consumer) {
		session->consumer->session = NULL;
		connection_resume(session->consumer->peer);
	}
	session->consumer = NULL;
	TAILQ_REMOVE(&s->sessions, session, link);
	s->session_nr--;
	service_ended_session(s);
	if (session->config->priority_boost)
		sched_boost_update(s, NULL);
	if (session->file.disk)
		TAILQ_INSERT_TAIL(&s->ending, session, link);
	else
		session_release(session);
}

void session_written(struct session *session)
{
	if (session->is_freed) {
		TAILQ_REMOVE(&session->service->ending, session, link);
		session_release(session);
	} else if (session->state == SESSION_CLONED) {
		clone_written(session);
	} else {
		over(session);
	}
}

void session_producer_left(struct session *session, struct producer *p)
{
	flush_forget_producer(session, p);
	if (session->scrape.next == p)
		session->scrape.next = TAILQ_NEXT(p, link);
}
