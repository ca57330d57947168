// SPDX-License-Identifier: LGPL-2.1
/*
 * ties.c - META lines that tie the stamps of a trace to other clocks
 *
 * Memory is bounded, and what is kept is spread evenly over the trace: each time a list is full,
 * every second entry leaves it, and from then on only every second, fourth and so on is taken. Of
 * pings, the one with the shortest round trip stays: it bounds the clocks most tightly.
 */
#include "ties.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "trace.h"

#define CLOCKS_MAX 65536u
#define SOURCES_MAX 16384u
#define PINGS_MAX 131072u
#define PEERS_MAX 64u
#define NO_PEER ~0u

/* Removes every second member of a full list, and doubles the step of those to come. */
#define THIN(list, nr, step) do {						\
	size_t i_;								\
										\
	for (i_ = 0; 2 * i_ < (nr); i_++)					\
		(list)[i_] = (list)[2 * i_];					\
	(nr) = i_;								\
	(step) = (step) ? 2 * (step) : 2;					\
} while (0)

/* True if member number @seen of all, the next one, is to be kept. */
static bool is_kept(__u64 seen, __u64 step)
{
	return !step || seen % step == 0;
}

int ktrace_ties_add_clock(struct ties *t, const struct ktrace_clock_tie *tie)
{
	if (t->clock_nr == CLOCKS_MAX)
		THIN(t->clocks, t->clock_nr, t->clock_step);
	if (!is_kept(t->clock_seen, t->clock_step)) {
		t->clock_seen++;
		return 0;
	}
	if (!LIST_GROW(t->clocks, t->clock_nr, t->clock_cap))
		return -ENOMEM;
	t->clocks[t->clock_nr++] = *tie;
	t->clock_seen++;
	return 0;
}

const struct ktrace_clock_tie *ktrace_ties_clock_at(const struct ties *t, __u64 raw)
{
	const size_t i = PARTITION_POINT(t->clock_nr, k, t->clocks[k].raw < raw);

	return i < t->clock_nr && t->clocks[i].raw == raw ? &t->clocks[i] : NULL;
}

/* Copies a text that may be missing; returns false if it is too long. */
static bool keep_text(char *to, size_t size, const char *text)
{
	const size_t n = text ? strnlen(text, size) : 0;

	if (n == size)
		return false;
	if (n)
		memcpy(to, text, n);
	to[n] = '\0';
	return true;
}

int ktrace_ties_add_source(struct ties *t, const struct ktrace_time_source *source)
{
	struct tie_source s = { .pub = *source };

	if (!keep_text(s.name, sizeof(s.name), source->name) || !s.name[0] ||
	    !keep_text(s.state, sizeof(s.state), source->state) ||
	    !keep_text(s.reference, sizeof(s.reference), source->reference))
		return -EINVAL;
	if (t->source_nr == SOURCES_MAX)
		THIN(t->sources, t->source_nr, t->source_step);
	if (!is_kept(t->source_seen, t->source_step)) {
		t->source_seen++;
		return 0;
	}
	if (!LIST_GROW(t->sources, t->source_nr, t->source_cap))
		return -ENOMEM;
	t->sources[t->source_nr++] = s;
	t->source_seen++;
	return 0;
}

/* True for 8-4-4-4-12 hexadecimal digits in lower case */
static bool is_boot_id(const char *text)
{
	size_t i;

	for (i = 0; i < TIE_BOOT_SIZE - 1; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-' :
		    !text[i] || !strchr("0123456789abcdef", text[i]))
			return false;
	return !text[i];
}

static bool is_clock(const char *clock)
{
	return !clock || !strcmp(clock, "tsc") || !strcmp(clock, "monotonic");
}

/* True if no packet was received before the one that it answers was sent, by the clock of each. */
static bool is_possible(const struct ktrace_ping *p)
{
	if (p->is_answered)
		return p->received <= p->raw_sent && p->sent_there <= p->received_there;
	return p->raw_sent <= p->received && p->received_there <= p->sent_there;
}

/* Returns the number of the peer, which it adds; NO_PEER if there are too many or no memory. */
static __u32 find_peer(struct ties *t, const struct ktrace_ping *p)
{
	const char *clock = p->peer_clock ? p->peer_clock : "";
	const char *text = p->peer ? p->peer : "";
	struct tie_peer new = { .is_answered = p->is_answered };
	size_t i;

	for (i = 0; i < t->peer_nr; i++)
		if (t->peers[i].is_answered == p->is_answered &&
		    !strcmp(t->peers[i].boot, p->peer_boot) && !strcmp(t->peers[i].text, text) &&
		    !strcmp(t->peers[i].clock, clock))
			return (__u32)i;
	if (i == PEERS_MAX)
		return NO_PEER;
	if (!t->peers)
		t->peers = calloc(PEERS_MAX, sizeof(*t->peers));
	if (!t->peers)
		return NO_PEER;
	keep_text(new.boot, sizeof(new.boot), p->peer_boot);
	keep_text(new.text, sizeof(new.text), text);
	keep_text(new.clock, sizeof(new.clock), clock);
	t->peers[t->peer_nr++] = new;
	return (__u32)i;
}

/* Returns the round trip in ticks of the one that began, including the time at the other one. */
static __u64 round_trip(const struct ties *t, const struct tie_ping *p)
{
	return t->peers[p->peer].is_answered ? p->received_there - p->sent_there :
	       p->received - p->sent;
}

static void keep_better(const struct ties *t, struct tie_ping *kept, const struct tie_ping *other)
{
	if (round_trip(t, other) < round_trip(t, kept))
		*kept = *other;
}

/* Keeps the better one of each two pings with one peer. */
static void thin_pings(struct ties *t)
{
	bool is_second[PEERS_MAX] = { false };
	size_t i, nr = 0;

	for (i = 0; i < t->ping_nr; i++) {
		const struct tie_ping p = t->pings[i];
		struct tie_peer *peer = &t->peers[p.peer];

		if (is_second[p.peer]) {
			keep_better(t, &t->pings[peer->last], &p);
		} else {
			peer->last = nr;
			t->pings[nr++] = p;
		}
		is_second[p.peer] = !is_second[p.peer];
	}
	t->ping_nr = nr;
	t->ping_step = t->ping_step ? 2 * t->ping_step : 2;
}

int ktrace_ties_add_ping(struct ties *t, const struct ktrace_ping *p)
{
	struct tie_ping ping = {
		.sent = p->raw_sent, .received_there = p->received_there,
		.sent_there = p->sent_there, .received = p->received,
		.received_there_ns = p->received_there_ns, .sent_there_ns = p->sent_there_ns,
	};
	struct tie_peer *peer;

	if (!p->peer_boot || !is_boot_id(p->peer_boot) || !is_clock(p->peer_clock) ||
	    (p->peer && strlen(p->peer) >= TIE_TEXT_SIZE) || !is_possible(p))
		return -EINVAL;
	ping.peer = find_peer(t, p);
	if (ping.peer == NO_PEER) {
		t->ping_seen++;
		return t->peers ? 0 : -ENOMEM;
	}
	/* That leaves half of them and at most one more for each peer. */
	if (t->ping_nr == PINGS_MAX)
		thin_pings(t);
	peer = &t->peers[ping.peer];
	if (!is_kept(peer->seen, t->ping_step)) {
		keep_better(t, &t->pings[peer->last], &ping);
	} else {
		if (!LIST_GROW(t->pings, t->ping_nr, t->ping_cap))
			return -ENOMEM;
		peer->last = t->ping_nr;
		t->pings[t->ping_nr++] = ping;
	}
	peer->seen++;
	t->ping_seen++;
	return 0;
}

void ktrace_ties_free(struct ties *t)
{
	free(t->clocks);
	free(t->sources);
	free(t->pings);
	free(t->peers);
}

static const struct ties *ties_of(const struct ktrace_trace *trace)
{
	return &((const struct trace *)trace)->ties;
}

bool ktrace_trace_clock_tie(const struct ktrace_trace *trace, size_t i,
			    struct ktrace_clock_tie *out)
{
	const struct ties *t = ties_of(trace);

	if (i >= t->clock_nr)
		return false;
	*out = t->clocks[i];
	return true;
}

bool ktrace_trace_time_source(const struct ktrace_trace *trace, size_t i,
			      struct ktrace_time_source *out)
{
	const struct ties *t = ties_of(trace);
	const struct tie_source *s;

	if (i >= t->source_nr)
		return false;
	s = &t->sources[i];
	*out = s->pub;
	out->name = s->name;
	out->state = s->state[0] ? s->state : NULL;
	out->reference = s->reference[0] ? s->reference : NULL;
	return true;
}

bool ktrace_trace_ping(const struct ktrace_trace *trace, size_t i, struct ktrace_ping *out)
{
	const struct ties *t = ties_of(trace);
	const struct tie_peer *peer;
	const struct tie_ping *p;

	if (i >= t->ping_nr)
		return false;
	p = &t->pings[i];
	peer = &t->peers[p->peer];
	*out = (struct ktrace_ping){
		.peer_boot = peer->boot,
		.peer = peer->text[0] ? peer->text : NULL,
		.peer_clock = peer->clock[0] ? peer->clock : NULL,
		.raw_sent = p->sent, .received_there = p->received_there,
		.sent_there = p->sent_there, .received = p->received,
		.received_there_ns = p->received_there_ns, .sent_there_ns = p->sent_there_ns,
		.is_answered = peer->is_answered,
	};
	return true;
}

void ktrace_trace_tie_counts(const struct ktrace_trace *trace, struct ktrace_tie_counts *out)
{
	const struct ties *t = ties_of(trace);

	*out = (struct ktrace_tie_counts){
		.clock_ties = t->clock_nr, .clock_ties_left_out = t->clock_seen - t->clock_nr,
		.time_sources = t->source_nr,
		.time_sources_left_out = t->source_seen - t->source_nr,
		.pings = t->ping_nr, .pings_left_out = t->ping_seen - t->ping_nr,
	};
}
