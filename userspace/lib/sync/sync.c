// SPDX-License-Identifier: LGPL-2.1
/* sync.c - reads a traceset once, estimates the clocks of its hosts, and corrects it */
#include "sync.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kept.h"
#include "packet.h"
#include "traceset/trace.h"

#define MAX_RATE 1e-3		/* clocks that differ by more than 1000 ppm are broken */
#define SPAN_MIN 1e6		/* ns */
#define BACK_MIN 1e6		/* ns; an interrupted writer's stamps are off by less */

int ktrace_sync_new(const struct ktrace_sync_options *opts, struct ktrace_sync **out)
{
	const __u32 wander = opts && opts->wander_ppb ? opts->wander_ppb : KTRACE_SYNC_WANDER_PPB;

	if (opts && (opts->size != sizeof(*opts) || opts->analysis > KTRACE_SYNC_REGRESSION))
		return -EINVAL;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->e.wander = wander * 1e-9 / (double)NS_PER_S;
	(*out)->e.max_rate = MAX_RATE;
	(*out)->e.reference = HOST_NONE;
	(*out)->made = ktrace_kept_options(opts);
	(*out)->e.regresses = opts && opts->analysis == KTRACE_SYNC_REGRESSION;
	return 0;
}

void ktrace_sync_close(struct ktrace_sync *sync)
{
	if (!sync)
		return;
	ktrace_estimate_free(&sync->e);
	ktrace_machines_free(&sync->machines);
	free(sync->offset);
	free(sync);
}

/* struct span - stamps of the first and last event of a trace */
struct span {
	__u64 first;
	__u64 last;
};

/* struct pass - reading all events */
struct pass {
	struct ktrace_sync *sync;
	const struct ktrace_traceset *set;
	struct ktrace_messages *messages;
	struct span *spans;
	int error;
};

static double time_of(const struct pass *p, const struct ktrace_message_end *end, __u32 *host)
{
	const struct machines *all = &p->sync->machines;

	*host = all->of_trace[ktrace_trace_index(end->trace)];
	return ktrace_machine_ns(&all->at[*host], end->trace, end->raw);
}

static void on_message(void *arg, const struct ktrace_message *m)
{
	struct pass *p = arg;
	struct ktrace_sync_stats *stats = &p->sync->stats;
	__u32 from, to;
	const double sent = time_of(p, &m->from, &from), received = time_of(p, &m->to, &to);
	int ret;

	stats->broadcasts += m->kind == KTRACE_MESSAGE_BROADCAST;
	stats->retransmitted += m->is_retransmitted;
	if (m->kind == KTRACE_MESSAGE_BROADCAST || m->is_retransmitted || from == to)
		return;
	stats->messages++;
	ret = ktrace_estimate_message(&p->sync->e, from, to, sent, received);
	p->error = p->error ? p->error : ret;
}

bool ktrace_sync_has_packets(const struct ktrace_traceset *set)
{
	const struct ktrace_trace_stream *s;
	const struct ktrace_trace *t;
	size_t i, k, nr = 0;
	bool has_some;

	for (i = 0; (t = ktrace_traceset_trace(set, i)); i++) {
		has_some = false;
		for (k = 0; (s = ktrace_trace_stream(t, k)) && !has_some; k++)
			has_some = s->kind == KTRACE_CHANNEL_KERNEL && s->blocks;
		nr += has_some;
	}
	return nr > 1;
}

/* True if a stamp is so far below an earlier one that the clock went back. */
static bool goes_back(const struct pass *p, const struct ktrace_trace_event *e, __u64 last)
{
	const struct machines *all = &p->sync->machines;
	const struct ktrace_trace *t = e->stream->trace;
	const struct machine *m = &all->at[all->of_trace[ktrace_trace_index(t)]];

	return ktrace_machine_ns(m, t, last) - ktrace_machine_ns(m, t, e->raw) > BACK_MIN;
}

static void extend(struct span *span, __u64 raw)
{
	span->first = raw < span->first ? raw : span->first;
	span->last = raw > span->last ? raw : span->last;
}

static void extend_skipped(struct span *span, const struct ktrace_trace_stream *stream)
{
	const struct stream *s = (const struct stream *)stream;

	if (s->skipped_raw)
		extend(span, s->skipped_raw);
}

static int take_event(struct pass *p, const struct ktrace_trace_event *e)
{
	struct span *span = &p->spans[ktrace_trace_index(e->stream->trace)];

	extend_skipped(span, e->stream);
	p->sync->stats.back += e->flags & KTRACE_EVENT_BACKWARDS && e->raw < span->last &&
			       goes_back(p, e, span->last);
	extend(span, e->raw);
	return ktrace_messages_add(p->messages, e, on_message, p);
}

/* Extends the times of interest of all hosts to their events. */
static void extend_spans(struct pass *p, const struct ktrace_traceset *set)
{
	struct machines *all = &p->sync->machines;
	const struct ktrace_trace_stream *s;
	const struct ktrace_trace *t;
	struct machine *m;
	size_t i, k;

	for (i = 0; i < all->trace_nr; i++) {
		t = ktrace_traceset_trace(set, i);
		for (k = 0; (s = ktrace_trace_stream(t, k)); k++)
			extend_skipped(&p->spans[i], s);
		if (p->spans[i].first > p->spans[i].last)
			continue;
		m = &all->at[all->of_trace[i]];
		ktrace_machine_extend(m, t, p->spans[i].first);
		ktrace_machine_extend(m, t, p->spans[i].last);
	}
}

static int read_events(struct pass *p, struct ktrace_traceset *set)
{
	struct ktrace_trace_event e;
	int ret = 0;

	while (!ret && !p->error && (ret = ktrace_set_next_wanted(set, &e)) == 1)
		ret = take_event(p, &e);
	return ret ? ret : p->error;
}

/* Takes in all messages. Returns 0, -ENOMEM. */
static int pass(struct ktrace_sync *sync, const struct ktrace_traceset *set)
{
	struct pass p = {
		.sync = sync, .set = set,
		.spans = calloc(sync->machines.trace_nr, sizeof(*p.spans)),
	};
	struct ktrace_traceset *again = NULL;
	/* The set must not have been read when it is corrected. */
	int ret = p.spans ? ktrace_set_reread(set, &again) : -ENOMEM;
	size_t i;

	for (i = 0; p.spans && i < sync->machines.trace_nr; i++)
		p.spans[i].first = ~0ull;
	if (!ret)
		ktrace_set_only(again, ktrace_packet_is_type);
	if (!ret)
		ret = ktrace_messages_open(again, &p.messages);
	if (!ret)
		ret = read_events(&p, again);
	if (!ret) {
		ktrace_messages_end(p.messages, on_message, &p);
		ktrace_messages_stats(p.messages, &sync->stats.packets);
		extend_spans(&p, again);
		ret = p.error;
	}
	free(p.spans);
	ktrace_messages_close(p.messages);
	ktrace_traceset_close(again);
	return ret;
}

static bool is_called(const struct machine *m, const char *name)
{
	return (m->name && !strcmp(m->name, name)) || (m->boot && !strcmp(m->boot, name));
}

/* Tells the estimate about the hosts; the last one is the source of wall clocks. */
static int set_hosts(struct ktrace_sync *sync, const struct ktrace_traceset *set,
		     const char *reference)
{
	const struct machines *all = &sync->machines;
	const struct ktrace_trace *t;
	struct machine *m;
	__u64 zero, first = 0;
	__u32 i;

	sync->offset = calloc(all->nr + 1, sizeof(*sync->offset));
	if (!sync->offset || ktrace_estimate_init(&sync->e, all->nr + 1))
		return -ENOMEM;
	for (i = 0; i < all->nr; i++) {
		m = &all->at[i];
		t = ktrace_traceset_trace(set, m->trace);
		zero = m->has_stamps ? ktrace_trace_time(t, m->zero) : m->zero;
		first = i ? first : zero;
		sync->e.hosts[i].prior = (double)(__s64)(zero - first);
		if (reference && is_called(m, reference) && sync->e.reference == HOST_NONE)
			sync->e.reference = i;
	}
	sync->e.hosts[all->nr].is_virtual = true;
	for (i = 0; i <= all->nr; i++)
		sync->e.hosts[i].parent = HOST_NONE;
	if (all->nr == 1)
		sync->e.reference = 0;
	return reference && sync->e.reference == HOST_NONE ? -ENOENT : 0;
}

/* Tells the estimate what times are of interest; there have to be two for a line. */
static void set_spans(struct ktrace_sync *sync)
{
	__u32 i;

	for (i = 0; i < sync->machines.nr; i++) {
		sync->e.hosts[i].begin = sync->machines.at[i].begin;
		sync->e.hosts[i].end = fmax(sync->machines.at[i].end,
					    sync->machines.at[i].begin + SPAN_MIN);
	}
}

int ktrace_sync_traceset(struct ktrace_traceset *set, const struct ktrace_sync_options *opts,
			 struct ktrace_sync **out)
{
	struct ktrace_sync *sync;
	int ret = ktrace_sync_new(opts, &sync);

	if (ret)
		return ret;
	ret = ktrace_machines_find(&sync->machines, set);
	if (!ret)
		ret = set_hosts(sync, set, opts ? opts->reference : NULL);
	if (!ret && sync->machines.nr > 1) {
		ret = ktrace_sync_ties(sync, set);
		if (!ret && !(opts && opts->without_messages) && ktrace_sync_has_packets(set))
			ret = pass(sync, set);
		set_spans(sync);
		if (!ret)
			ret = ktrace_estimate_solve(&sync->e);
		if (!ret)
			ret = ktrace_sync_correct(sync, set);
	}
	if (ret) {
		ktrace_sync_close(sync);
		return ret;
	}
	*out = sync;
	return 0;
}
