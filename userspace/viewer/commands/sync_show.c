// SPDX-License-Identifier: GPL-2.0
/* sync_show.c - prints what ktrace sync found, as text and JSON */
#include "sync_show.h"

#include "base/json.h"
#include "base/table.h"
#include "base/when.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *quality_name(enum ktrace_sync_quality quality)
{
	static const char *const names[] = {
		[KTRACE_SYNC_EXACT] = "exact", [KTRACE_SYNC_ACCURATE] = "accurate",
		[KTRACE_SYNC_APPROXIMATE] = "approximate", [KTRACE_SYNC_INCOMPLETE] = "incomplete",
		[KTRACE_SYNC_ABSENT] = "absent", [KTRACE_SYNC_FAIL] = "fail",
	};

	return names[quality];
}

/* Returns the name of a host; of several that have the same one, with its boot id. */
static const char *host_name(const struct sync_run *r, __u32 i, char *buf, size_t size)
{
	struct ktrace_sync_host h, other;
	bool is_shared = false;
	__u32 k;

	if (!ktrace_sync_host(r->sync, i, &h) || (!h.name && !h.path))
		return "wall clocks";
	for (k = 0; ktrace_sync_host(r->sync, k, &other); k++)
		is_shared |= k != i && h.name && other.name && !strcmp(h.name, other.name);
	snprintf(buf, size, "%s%s%.8s", h.name ? h.name : h.path, is_shared ? ":" : "",
		 is_shared ? h.boot ? h.boot : h.path : "");
	return buf;
}

/* Prints a duration with its sign, and three digits that matter. */
static void put_ns(struct ktrace_out *out, double ns, bool has_sign)
{
	const double size = fabs(ns);
	const char *sign = ns < 0 ? "-" : has_sign ? "+" : "";

	if (size < 1e3)
		out_printf(out, "%s%.0f ns", sign, size);
	else if (size < 1e6)
		out_printf(out, "%s%.3g us", sign, size / 1e3);
	else if (size < 1e9)
		out_printf(out, "%s%.6f ms", sign, size / 1e6);
	else
		out_printf(out, "%s%.9f s", sign, size / 1e9);
}

static void put_error(struct ktrace_out *out, double ns)
{
	if (ns < 0) {
		ktrace_out_str(out, "unknown");
		return;
	}
	ktrace_out_str(out, "+-");
	put_ns(out, ns, false);
}

static void put_host(const struct sync_run *r, __u32 i, const struct ktrace_sync_host *h)
{
	struct ktrace_out *out = r->out;
	char name[128];

	output_line_begin(out);
	out_printf(out, "%s: ", host_name(r, i, name, sizeof(name)));
	if (h->is_reference) {
		ktrace_out_str(out, "the reference, its times stay as they are\n");
		return;
	}
	if (h->quality == KTRACE_SYNC_ABSENT) {
		ktrace_out_str(out, "absent: nothing ties its clock to the others, its times stay "
			       "as they are\n");
		return;
	}
	ktrace_out_str(out, quality_name(h->quality));
	ktrace_out_str(out, ", offset ");
	put_ns(out, h->offset_ns, true);
	out_printf(out, ", drift %+.3f ppm, error ", h->drift_ppm);
	put_error(out, h->error_ns);
	if (h->max_error_ns > h->error_ns) {
		ktrace_out_str(out, ", at most ");
		put_error(out, h->max_error_ns);
	}
	if (h->parent != KTRACE_SYNC_NONE)
		out_printf(out, ", by %s", host_name(r, h->parent, name, sizeof(name)));
	ktrace_out_char(out, '\n');
}

static void put_line(struct ktrace_out *out, const char *what, const struct ktrace_sync_line *l)
{
	out_printf(out, "  one line, %s: ", what);
	if (!l->is_valid) {
		ktrace_out_str(out, "none\n");
		return;
	}
	ktrace_out_str(out, "offset ");
	put_ns(out, l->offset_ns, true);
	out_printf(out, ", drift %+.3f ppm, error ", l->drift_ppm);
	put_error(out, l->error_ns);
	ktrace_out_char(out, '\n');
}

static void put_gaps(const struct sync_run *r, size_t i)
{
	struct ktrace_out *out = r->out;
	struct ktrace_sync_gap gap;
	size_t k;

	for (k = 0; ktrace_sync_gap(r->sync, i, k, &gap); k++) {
		output_line_begin(out);
		ktrace_out_str(out, "  no line fits: a clock was set or changed its rate between ");
		out_seconds(out, (__u64)fmax(gap.from, 0), 0);
		ktrace_out_str(out, " and ");
		out_seconds(out, (__u64)fmax(gap.to, 0), 0);
		ktrace_out_str(out, ", offset ");
		put_ns(out, gap.step_ns, true);
		ktrace_out_char(out, '\n');
	}
}

static void put_trips(const struct sync_run *r, const struct ktrace_sync_pair *p)
{
	const struct trips *t = &r->trips[p->host[0] * r->host_nr + p->host[1]];
	char names[2][128];
	int i;

	for (i = 0; i < 2; i++) {
		const struct histogram *h = i ? &t->back : &t->there;

		if (!h->nr)
			continue;
		out_printf(r->out, "  trips from %s to %s:\n",
			   host_name(r, p->host[i], names[0], sizeof(names[0])),
			   host_name(r, p->host[1 - i], names[1], sizeof(names[1])));
		histogram_show(h, r->out, 4);
	}
	if (t->inverted)
		out_printf(r->out, "  %llu messages are received before they are sent\n",
			   t->inverted);
}

static void put_round_trips(const struct sync_run *r, const struct ktrace_sync_pair *p)
{
	__u64 most = 1;
	__u32 i;

	for (i = 0; i < KTRACE_SYNC_TRIP_BITS; i++)
		most = p->trips[i] > most ? p->trips[i] : most;
	ktrace_out_str(r->out, "  round trips:\n");
	for (i = 0; i < KTRACE_SYNC_TRIP_BITS; i++) {
		if (!p->trips[i])
			continue;
		output_line_begin(r->out);
		ktrace_out_str(r->out, "    below ");
		out_duration(r->out, 2ull << i);
		out_printf(r->out, " %9llu ", p->trips[i]);
		for (__u64 n = 0; n < (p->trips[i] * 40 + most - 1) / most; n++)
			ktrace_out_char(r->out, '*');
		ktrace_out_char(r->out, '\n');
	}
}

static void put_pair(const struct sync_run *r, size_t i, const struct ktrace_sync_pair *p)
{
	struct ktrace_out *out = r->out;
	char names[2][128];

	output_line_begin(out);
	out_printf(out, "\n%s - %s: %s%s, error ", host_name(r, p->host[0], names[0], 128),
		   host_name(r, p->host[1], names[1], 128), quality_name(p->quality),
		   p->is_used ? "" : ", not needed");
	put_error(out, p->error_ns);
	if (p->covered < 1 && p->error_ns >= 0)
		out_printf(out, " in %.0f %% of the time", p->covered * 100);
	out_printf(out, "\n  %llu messages there, %llu back", p->messages[0], p->messages[1]);
	if (p->ties)
		out_printf(out, ", %llu readings of a synchronised wall clock", p->ties);
	if (p->least_trip_ns >= 0) {
		ktrace_out_str(out, ", shortest round trip ");
		put_ns(out, p->least_trip_ns, false);
		out_printf(out, ", windows of %.0f s", 2 * p->window_ns / 1e9);
	}
	ktrace_out_char(out, '\n');
	put_line(out, "hull", &p->hull);
	put_line(out, "regression", &p->regression);
	put_gaps(r, i);
	if (p->loosened)
		out_printf(out, "  %llu times no line fits unless the rate changes faster than "
			   "--wander\n", p->loosened);
	if (p->inverted)
		out_printf(out, "  at least %llu messages are received before they are sent\n",
			   p->inverted);
	if (r->evaluates) {
		put_round_trips(r, p);
		if (r->trips)
			put_trips(r, p);
	}
}

/* struct count - a number of the statistics, its name in JSON and in text; NULL: not there */
struct count {
	__u64 nr;
	const char *key;
	const char *text;
};

#define COUNTS_MAX 20

/* Lists the statistics. Returns how many there are. */
static int list_counts(const struct sync_run *r, struct count *to)
{
	struct ktrace_sync_stats s;

	ktrace_sync_stats(r->sync, &s);
	const struct count counts[] = {
		{ s.messages, "messages", "messages used" },
		{ s.pings, "pings", "pings of recorders" },
		{ s.wall_readings, "wall_readings", "readings of synchronised wall clocks" },
		{ s.packets.sent, "packets_sent", "packets sent" },
		{ s.packets.received, "packets_received", "packets received" },
		{ s.packets.without_addresses, "without_addresses", "packets without addresses" },
		{ s.packets.other, "no_messages", "packets without data, or not TCP or UDP" },
		{ s.packets.local, "local", "packets within a host" },
		{ s.packets.passed_on, "passed_on", "packets passed on by another device" },
		{ s.packets.duplicate, "duplicate", "packets received before" },
		{ s.retransmitted, "retransmitted", "messages left out: sent several times" },
		{ s.packets.unsure, "unsure", "packets that may have been sent before" },
		{ s.packets.ambiguous, "ambiguous", "datagrams that are equal to others" },
		{ s.packets.waiting + s.packets.given_up, "unmatched",
		  "packets whose other end was not seen" },
		{ s.packets.invalid, "invalid", "packets with impossible values" },
		{ s.broadcasts, "broadcasts", "pairs of receptions of a broadcast: no bounds" },
		{ s.pings_left_out, "pings_left_out", "pings left out: hosts that are not read" },
		{ s.back, "back", "events where a clock went back: no error is known" },
		{ s.contradictions, "contradictions",
		  "times at which bounds of several pairs contradict each other" },
	};
	_Static_assert(sizeof(counts) / sizeof(counts[0]) <= COUNTS_MAX, "room");

	memcpy(to, counts, sizeof(counts));
	return sizeof(counts) / sizeof(counts[0]);
}

static void put_counts(const struct sync_run *r)
{
	struct count counts[COUNTS_MAX];
	const int nr = list_counts(r, counts);
	int i;

	ktrace_out_char(r->out, '\n');
	for (i = 0; i < nr; i++)
		if (counts[i].nr)
			out_printf(r->out, "%10llu %s\n", counts[i].nr, counts[i].text);
}

static void json_counts(const struct sync_run *r)
{
	struct count counts[COUNTS_MAX];
	const int nr = list_counts(r, counts);
	int i;

	ktrace_out_str(r->out, "{\"sync\":{");
	for (i = 0; i < nr; i++)
		json_u64(r->out, counts[i].key, counts[i].nr);
	ktrace_out_str(r->out, "}}\n");
}

static void put_text(const struct sync_run *r)
{
	struct ktrace_sync_host h;
	struct ktrace_sync_pair p;
	__u32 i;
	size_t k;

	for (i = 0; ktrace_sync_host(r->sync, i, &h); i++)
		if (h.name || h.path)
			put_host(r, i, &h);
	for (k = 0; ktrace_sync_pair(r->sync, k, &p); k++)
		put_pair(r, k, &p);
	put_counts(r);
}

/* Writes a number of ns, or null if it is not known. */
static void json_ns(struct ktrace_out *out, const char *key, double ns, bool is_known)
{
	char text[64];

	json_key(out, key);
	snprintf(text, sizeof(text), "%.3f", ns);
	ktrace_out_str(out, is_known ? text : "null");
}

static void json_host(const struct sync_run *r, __u32 i, const struct ktrace_sync_host *h)
{
	struct ktrace_out *out = r->out;

	ktrace_out_str(out, "{\"host\":{");
	json_u64(out, "number", i);
	json_str(out, "name", h->name);
	json_str(out, "boot", h->boot);
	json_str(out, "file", h->path);
	json_str(out, "quality", quality_name(h->quality));
	json_bool(out, "is_reference", h->is_reference);
	if (h->parent != KTRACE_SYNC_NONE)
		json_u64(out, "by", h->parent);
	json_ns(out, "offset_ns", h->offset_ns, h->quality != KTRACE_SYNC_ABSENT);
	json_ns(out, "drift_ppm", h->drift_ppm, h->quality != KTRACE_SYNC_ABSENT);
	json_ns(out, "error_ns", h->error_ns, h->error_ns >= 0);
	json_ns(out, "max_error_ns", h->max_error_ns, h->max_error_ns >= 0);
	ktrace_out_str(out, "}}\n");
}

static void json_line(struct ktrace_out *out, const char *key, const struct ktrace_sync_line *l)
{
	if (!l->is_valid)
		return;
	json_open(out, key, '{');
	json_ns(out, "offset_ns", l->offset_ns, true);
	json_ns(out, "drift_ppm", l->drift_ppm, true);
	json_ns(out, "error_ns", l->error_ns, l->error_ns >= 0);
	ktrace_out_char(out, '}');
}

static void json_pair(const struct sync_run *r, size_t i, const struct ktrace_sync_pair *p)
{
	const struct trips *t = r->trips ? &r->trips[p->host[0] * r->host_nr + p->host[1]] : NULL;
	struct ktrace_out *out = r->out;
	struct ktrace_sync_gap gap;
	size_t k;

	ktrace_out_str(out, "{\"pair\":{");
	json_u64(out, "first", p->host[0]);
	json_u64(out, "second", p->host[1]);
	json_str(out, "quality", quality_name(p->quality));
	json_bool(out, "is_used", p->is_used);
	json_u64(out, "messages_there", p->messages[0]);
	json_u64(out, "messages_back", p->messages[1]);
	json_u64(out, "wall_readings", p->ties);
	json_ns(out, "error_ns", p->error_ns, p->error_ns >= 0);
	json_ns(out, "max_error_ns", p->max_error_ns, p->max_error_ns >= 0);
	json_ns(out, "covered", p->covered, true);
	json_ns(out, "window_ns", p->window_ns, true);
	json_ns(out, "least_round_trip_ns", p->least_trip_ns, p->least_trip_ns >= 0);
	json_u64(out, "loosened", p->loosened);
	json_u64(out, "inverted", p->inverted + (t ? t->inverted : 0));
	json_line(out, "hull", &p->hull);
	json_line(out, "regression", &p->regression);
	json_open(out, "gaps", '[');
	for (k = 0; ktrace_sync_gap(r->sync, i, k, &gap); k++) {
		json_item(out);
		json_seconds(out, "from", (__u64)fmax(gap.from, 0));
		json_seconds(out, "to", (__u64)fmax(gap.to, 0));
		json_ns(out, "step_ns", gap.step_ns, true);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	if (t) {
		json_open(out, "trips_there", '{');
		histogram_json(&t->there, out);
		ktrace_out_char(out, '}');
		json_open(out, "trips_back", '{');
		histogram_json(&t->back, out);
		ktrace_out_char(out, '}');
	}
	ktrace_out_str(out, "}}\n");
}

static void put_json(const struct sync_run *r)
{
	struct ktrace_out *out = r->out;
	struct ktrace_sync_host h;
	struct ktrace_sync_pair p;
	__u32 i;
	size_t k;

	for (i = 0; ktrace_sync_host(r->sync, i, &h); i++) {
		output_line_begin(out);
		json_host(r, i, &h);
	}
	for (k = 0; ktrace_sync_pair(r->sync, k, &p); k++) {
		output_line_begin(out);
		json_pair(r, k, &p);
	}
	json_counts(r);
}

void sync_show(const struct sync_run *r)
{
	if (r->is_json)
		put_json(r);
	else
		put_text(r);
}
