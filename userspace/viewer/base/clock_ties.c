// SPDX-License-Identifier: GPL-2.0
/* clock_ties.c - summary of what a trace says about its clock and other clocks */
#include "clock_ties.h"

#include <string.h>

#include "json.h"
#include "table.h"
#include "viewer.h"
#include "when.h"

/* More sources are counted only; there are two kinds. */
#define SOURCES_MAX 8
/* As many as the library keeps */
#define PEERS_MAX 64

/**
 * struct tie_summary - of one trace
 * @readings:	with the kernel's estimate
 * @unsynced:	of these, when the clock was not synchronised
 * @worst:	the one with the largest limit of the error
 * @sources:	what each source said last
 * @answers:	how often each source said something
 * @source_nr:	number of sources
 * @other_sources: entries of further ones
 * @peers:	of each peer and direction, the ping with the shortest round trip
 * @pings:	number of pings of each
 * @peer_nr:	number of @peers
 * @counts:	what the library kept and left out
 */
struct tie_summary {
	__u64 readings;
	__u64 unsynced;
	struct ktrace_clock_tie worst;
	struct ktrace_time_source sources[SOURCES_MAX];
	__u64 answers[SOURCES_MAX];
	unsigned int source_nr;
	__u64 other_sources;
	struct ktrace_ping peers[PEERS_MAX];
	__u64 pings[PEERS_MAX];
	unsigned int peer_nr;
	struct ktrace_tie_counts counts;
};

static void add_clocks(struct tie_summary *s, const struct ktrace_trace *t)
{
	struct ktrace_clock_tie tie;

	for (size_t i = 0; ktrace_trace_clock_tie(t, i, &tie); i++) {
		if (!tie.has_error)
			continue;
		if (!s->readings++ || tie.max_error_ns > s->worst.max_error_ns)
			s->worst = tie;
		s->unsynced += !tie.is_synced;
	}
}

static void add_sources(struct tie_summary *s, const struct ktrace_trace *t)
{
	struct ktrace_time_source source;
	unsigned int k;

	for (size_t i = 0; ktrace_trace_time_source(t, i, &source); i++) {
		for (k = 0; k < s->source_nr && strcmp(s->sources[k].name, source.name); k++)
			;
		if (k == SOURCES_MAX) {
			s->other_sources++;
			continue;
		}
		s->source_nr += k == s->source_nr;
		s->sources[k] = source;
		s->answers[k]++;
	}
}

/* True if both strings are the same, or both missing. */
static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_same_peer(const struct ktrace_ping *a, const struct ktrace_ping *b)
{
	return a->is_answered == b->is_answered && !strcmp(a->peer_boot, b->peer_boot) &&
	       is_same(a->peer, b->peer) && is_same(a->peer_clock, b->peer_clock);
}

/* Returns the round trip in ticks of the one that asked. */
static __u64 round_trip(const struct ktrace_ping *p)
{
	return p->is_answered ? p->received_there - p->sent_there : p->received - p->raw_sent;
}

static void add_pings(struct tie_summary *s, const struct ktrace_trace *t)
{
	struct ktrace_ping ping;
	unsigned int k;

	for (size_t i = 0; ktrace_trace_ping(t, i, &ping); i++) {
		for (k = 0; k < s->peer_nr && !is_same_peer(&s->peers[k], &ping); k++)
			;
		if (k == PEERS_MAX)
			continue;
		if (k == s->peer_nr || round_trip(&ping) < round_trip(&s->peers[k]))
			s->peers[k] = ping;
		s->peer_nr += k == s->peer_nr;
		s->pings[k]++;
	}
}

static void summarise(struct tie_summary *s, const struct ktrace_trace *t)
{
	memset(s, 0, sizeof(*s));
	add_clocks(s, t);
	add_sources(s, t);
	add_pings(s, t);
	ktrace_trace_tie_counts(t, &s->counts);
}

/* Returns the shortest round trip in ns; false if the rate of its clock is not known here. */
static bool round_trip_ns(const struct ktrace_trace *t, const struct ktrace_ping *p, __u64 *ns)
{
	struct ktrace_clock_info clock;

	ktrace_trace_clock(t, &clock);
	if (p->is_answered || !clock.hz)
		return false;
	*ns = (__u64)((unsigned __int128)round_trip(p) * 1000000000 / clock.hz);
	return true;
}

static void put_error(struct ktrace_out *out, const struct tie_summary *s)
{
	ktrace_out_str(out, "wall clock at most ");
	out_seconds(out, s->worst.max_error_ns, 0);
	ktrace_out_str(out, " s off, as the kernel says; ");
	if (s->unsynced)
		out_printf(out, "not synchronised in %llu of %llu readings\n", s->unsynced,
			   s->readings);
	else
		ktrace_out_str(out, "synchronised\n");
}

static void put_source(struct ktrace_out *out, const struct ktrace_time_source *s, __u64 answers)
{
	ktrace_out_safe(out, s->name);
	if (s->state) {
		ktrace_out_str(out, ": ");
		ktrace_out_safe(out, s->state);
	}
	if (s->reference) {
		ktrace_out_str(out, ", reference ");
		ktrace_out_safe(out, s->reference);
	}
	if (s->has & KTRACE_SOURCE_STRATUM)
		out_printf(out, ", stratum %u", s->stratum);
	if (s->has & KTRACE_SOURCE_OFFSET) {
		ktrace_out_str(out, ", clock ");
		out_seconds(out, s->offset_ns < 0 ? -(__u64)s->offset_ns : (__u64)s->offset_ns, 0);
		ktrace_out_str(out, s->offset_ns < 0 ? " s behind" : " s ahead");
	}
	out_printf(out, " (last of %llu answers)\n", answers);
}

static void put_peer(struct ktrace_out *out, const struct ktrace_trace *t,
		     const struct ktrace_ping *p, __u64 nr)
{
	__u64 ns;

	out_printf(out, "%llu %s ", nr, p->is_answered ? "by" : "to");
	ktrace_out_safe(out, p->peer ? p->peer : "?");
	ktrace_out_str(out, ", boot ");
	ktrace_out_safe(out, p->peer_boot);
	if (round_trip_ns(t, p, &ns)) {
		ktrace_out_str(out, ", round trip ");
		out_seconds(out, ns, 0);
		ktrace_out_str(out, " s or more");
	}
	ktrace_out_char(out, '\n');
}

static void put_left_out(struct ktrace_out *out, const struct ktrace_tie_counts *c,
			 void (*label)(struct ktrace_out *out, const char *text))
{
	if (!c->clock_ties_left_out && !c->time_sources_left_out && !c->pings_left_out)
		return;
	label(out, "left out");
	out_printf(out, "%llu readings of clocks, %llu answers of time sources, %llu pings: more "
		   "than are kept\n", c->clock_ties_left_out, c->time_sources_left_out,
		   c->pings_left_out);
}

void clock_ties_put(struct ktrace_out *out, const struct ktrace_trace *t,
		    void (*label)(struct ktrace_out *out, const char *text))
{
	struct tie_summary s;

	summarise(&s, t);
	if (s.readings) {
		label(out, "error");
		put_error(out, &s);
	}
	for (unsigned int i = 0; i < s.source_nr; i++) {
		label(out, "source");
		put_source(out, &s.sources[i], s.answers[i]);
	}
	if (s.other_sources) {
		label(out, "source");
		out_printf(out, "%llu answers of others\n", s.other_sources);
	}
	for (unsigned int i = 0; i < s.peer_nr; i++) {
		label(out, "pings");
		put_peer(out, t, &s.peers[i], s.pings[i]);
	}
	put_left_out(out, &s.counts, label);
}

static void json_source(struct ktrace_out *out, const struct ktrace_time_source *s, __u64 answers)
{
	json_item(out);
	json_str(out, "source", s->name);
	json_str(out, "state", s->state);
	json_str(out, "reference", s->reference);
	if (s->has & KTRACE_SOURCE_STRATUM)
		json_u64(out, "stratum", s->stratum);
	if (s->has & KTRACE_SOURCE_OFFSET)
		json_s64(out, "offset_ns", s->offset_ns);
	if (s->has & KTRACE_SOURCE_DELAY)
		json_u64(out, "delay_ns", s->delay_ns);
	if (s->has & KTRACE_SOURCE_DISPERSION)
		json_u64(out, "dispersion_ns", s->dispersion_ns);
	if (s->has & KTRACE_SOURCE_FREQUENCY)
		json_s64(out, "freq_ppb", s->freq_ppb);
	if (s->has & KTRACE_SOURCE_SKEW)
		json_u64(out, "skew_ppb", s->skew_ppb);
	json_u64(out, "answers", answers);
	ktrace_out_char(out, '}');
}

static void json_peer(struct ktrace_out *out, const struct ktrace_trace *t,
		      const struct ktrace_ping *p, __u64 nr)
{
	__u64 ns;

	json_item(out);
	json_str(out, "boot", p->peer_boot);
	json_str(out, "peer", p->peer);
	json_str(out, "peer_clock", p->peer_clock);
	json_bool(out, "answered", p->is_answered);
	json_u64(out, "count", nr);
	if (round_trip_ns(t, p, &ns))
		json_u64(out, "round_trip_ns", ns);
	ktrace_out_char(out, '}');
}

void clock_ties_json(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct tie_summary s;
	__u64 left_out;

	summarise(&s, t);
	if (s.readings) {
		json_u64(out, "max_error_ns", s.worst.max_error_ns);
		json_u64(out, "est_error_ns", s.worst.est_error_ns);
		json_u64(out, "unsynced_readings", s.unsynced);
	}
	if (s.source_nr) {
		json_open(out, "time_sources", '[');
		for (unsigned int i = 0; i < s.source_nr; i++)
			json_source(out, &s.sources[i], s.answers[i]);
		ktrace_out_char(out, ']');
	}
	if (s.peer_nr) {
		json_open(out, "pings", '[');
		for (unsigned int i = 0; i < s.peer_nr; i++)
			json_peer(out, t, &s.peers[i], s.pings[i]);
		ktrace_out_char(out, ']');
	}
	left_out = s.counts.clock_ties_left_out + s.counts.time_sources_left_out +
		   s.counts.pings_left_out + s.other_sources;
	if (left_out)
		json_u64(out, "ties_left_out", left_out);
}
