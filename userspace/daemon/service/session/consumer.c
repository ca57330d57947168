// SPDX-License-Identifier: GPL-2.0
/* consumer.c - a connected consumer, which has at most one session */
#include "consumer.h"

#include <stdlib.h>

#include "base/clocks.h"
#include "base/work.h"
#include "clone.h"
#include "file.h"
#include "read.h"
#include "service.pb-c.h"

/* Bytes of packets in one reply, which fit in a frame together with the overhead */
#define SLICE_MAX (FRAME_MAX - 512)
#define SLICE_NR 1024
#define SLICE_OVERHEAD 16
/* Stops reading while this many bytes are queued */
#define QUEUE_MAX (512u * 1024)

static void read_more(void *arg)
{
	consumer_read_on(arg);
}

void consumer_open(struct connection *p)
{
	struct consumer *c = calloc(1, sizeof(*c));

	if (!c)
		return;
	c->service = p->service;
	c->peer = p;
	c->read_timer = (struct timer) { .fire = read_more, .arg = c };
	p->end = c;
}

void consumer_close(struct consumer *c)
{
	timer_stop(&c->service->timers, &c->read_timer);
	clone_forget(c);
	file_forget(c);
	if (c->session)
		session_free(c->session, NULL);
	batch_exit(&c->batch);
	free(c);
}

void consumer_tell_disabled(struct consumer *c, const char *error)
{
	Pft__EnableTracingResponse r = PFT__ENABLE_TRACING_RESPONSE__INIT;

	r.has_disabled = r.disabled = true;
	r.error = error && *error ? (char *)error : NULL;
	connection_reply(c->peer, &c->enabled, &r.base);
}

static void tell(struct consumer *c, Pft__ObservableEvents *events)
{
	Pft__ObserveEventsResponse r = PFT__OBSERVE_EVENTS_RESPONSE__INIT;

	r.events = events;
	connection_stream(c->peer, &c->observing, &r.base, true);
}

void consumer_tell_instance(struct consumer *c, const struct instance *i)
{
	Pft__ObservableEvents__DataSourceInstanceStateChange change =
		PFT__OBSERVABLE_EVENTS__DATA_SOURCE_INSTANCE_STATE_CHANGE__INIT, *changes = &change;
	Pft__ObservableEvents events = PFT__OBSERVABLE_EVENTS__INIT;

	if (!(c->observed & PFT__OBSERVABLE_EVENTS__TYPE__TYPE_DATA_SOURCES_INSTANCES) ||
	    i->state == INSTANCE_STARTING || i->state == INSTANCE_STOPPING)
		return;
	change.producer_name = i->producer->name;
	change.data_source_name = i->config->name;
	change.has_state = true;
	change.state = i->state == INSTANCE_STARTED ?
	    PFT__OBSERVABLE_EVENTS__DATA_SOURCE_INSTANCE_STATE__DATA_SOURCE_INSTANCE_STATE_STARTED :
	    PFT__OBSERVABLE_EVENTS__DATA_SOURCE_INSTANCE_STATE__DATA_SOURCE_INSTANCE_STATE_STOPPED;
	events.n_instance_state_changes = 1;
	events.instance_state_changes = &changes;
	tell(c, &events);
}

bool consumer_tell_all_started(struct consumer *c)
{
	Pft__ObservableEvents events = PFT__OBSERVABLE_EVENTS__INIT;

	if (!(c->observed & PFT__OBSERVABLE_EVENTS__TYPE__TYPE_ALL_DATA_SOURCES_STARTED))
		return false;
	events.has_all_data_sources_started = events.all_data_sources_started = true;
	tell(c, &events);
	return true;
}

void consumer_tell_clone(struct consumer *c, const struct trigger_hit *hit)
{
	Pft__ObservableEvents__CloneTriggerHit m = PFT__OBSERVABLE_EVENTS__CLONE_TRIGGER_HIT__INIT;
	Pft__ObservableEvents events = PFT__OBSERVABLE_EVENTS__INIT;

	if (!(c->observed & PFT__OBSERVABLE_EVENTS__TYPE__TYPE_CLONE_TRIGGER_HIT))
		return;
	m.has_tracing_session_id = m.has_producer_uid = m.has_boot_time_ns = true;
	m.tracing_session_id = (int64_t)c->session->id;
	m.trigger_name = (char *)hit->name;
	m.producer_name = (char *)hit->producer;
	m.producer_uid = hit->uid;
	m.boot_time_ns = hit->boot_ns;
	m.has_trigger_delay_ms = true;
	m.trigger_delay_ms = hit->delay_ms;
	events.clone_trigger_hit = &m;
	tell(c, &events);
}

/* The slices of one reply */
struct slices {
	Pft__ReadBuffersResponse__Slice rows[SLICE_NR], *pointers[SLICE_NR];
	size_t nr;
	size_t bytes;
};

static bool send_slices(struct consumer *c, struct slices *s, bool has_more)
{
	Pft__ReadBuffersResponse r = PFT__READ_BUFFERS_RESPONSE__INIT;

	r.n_slices = s->nr;
	r.slices = s->pointers;
	s->nr = s->bytes = 0;
	return connection_stream(c->peer, &c->reading, &r.base, has_more);
}

/* Splits a packet that is longer than a frame into several slices. */
static bool send_packet(struct consumer *c, struct slices *s, const uint8_t *packet, size_t size)
{
	do {
		Pft__ReadBuffersResponse__Slice *row;
		size_t part = size;

		if (s->nr == SLICE_NR || s->bytes + SLICE_OVERHEAD + 256 > SLICE_MAX ||
		    (s->nr && s->bytes + SLICE_OVERHEAD + size > SLICE_MAX))
			if (!send_slices(c, s, true))
				return false;
		row = &s->rows[s->nr];
		if (s->bytes + SLICE_OVERHEAD + part > SLICE_MAX)
			part = SLICE_MAX - s->bytes - SLICE_OVERHEAD;
		pft__read_buffers_response__slice__init(row);
		row->has_data = row->has_last_slice_for_packet = true;
		row->data.data = (uint8_t *)packet;
		row->data.len = part;
		row->last_slice_for_packet = part == size;
		s->pointers[s->nr++] = row;
		s->bytes += SLICE_OVERHEAD + part;
		packet += part;
		size -= part;
	} while (size);
	return true;
}

static bool send_batch(struct consumer *c, bool has_more)
{
	static struct slices slices;
	const uint8_t *packet;
	bool is_sent = true;
	size_t size;

	slices.nr = slices.bytes = 0;
	/* Producers decide how long packets are: that must not end the connection. */
	c->peer->is_answering = true;
	while (is_sent && batch_next(&c->batch, &packet, &size))
		is_sent = send_packet(c, &slices, packet, size);
	is_sent = is_sent && send_slices(c, &slices, has_more);
	c->peer->is_answering = false;
	return is_sent;
}

void consumer_read_on(struct consumer *c)
{
	const uint64_t lost = c->session ? c->session->packets_lost : 0;
	const uint64_t end_ns = clocks_boot_ns() + TURN_NS;
	bool has_more = true;

	while (c->reading.is_open && !c->peer->is_dropped && c->peer->queued < QUEUE_MAX) {
		if (clocks_boot_ns() > end_ns) {
			timer_set(&c->service->timers, &c->read_timer, 0);
			return;
		}
		batch_empty(&c->batch);
		has_more = c->session && !session_waits_for_trigger(c->session) &&
			   session_read(c->session, &c->batch, SLICE_MAX);
		if (!send_batch(c, has_more))
			return;
		if (c->session && c->session->packets_lost != lost) {
			timer_set(&c->service->timers, &c->read_timer, MEMORY_MS);
			return;
		}
	}
}

void consumer_read(struct consumer *c, const struct call *call)
{
	Pft__ReadBuffersResponse end = PFT__READ_BUFFERS_RESPONSE__INIT;

	/* Ends the previous reading, as packets of two readings must not mix. */
	if (c->reading.is_open)
		connection_stream(c->peer, &c->reading, &end.base, false);
	c->reading = *call;
	/* The trace is over, so these are its last statistics. */
	if (c->session && !session_is_running(c->session))
		c->session->own.wants_stats = true;
	if (c->session)
		session_read_begin(c->session);
	consumer_read_on(c);
}
