// SPDX-License-Identifier: LGPL-2.1
/* meta_ties.c - META lines that tie the stamps of a trace to other clocks */
#include "meta_ties.h"

static bool get_s64(const struct line *l, const char *key, __s64 *out)
{
	const char *s = get_str(l, key);
	char *end;

	if (!s || ((*s < '0' || *s > '9') && (*s != '-' || s[1] < '0' || s[1] > '9')))
		return false;
	errno = 0;
	*out = strtoll(s, &end, 10);
	return !*end && !errno;
}

int ktrace_meta_add_tie(struct trace *t, const struct line *l, const struct segment *reading)
{
	struct ktrace_clock_tie tie = {
		.raw = reading->raw, .mono_ns = reading->mono, .real_ns = reading->wall,
		.boot_ns = reading->boot,
	};
	__u64 is_synced = 0;

	get_u64(l, "raw_mono_ns", &tie.raw_mono_ns);
	tie.has_error = get_u64(l, "max_error_ns", &tie.max_error_ns) &&
			get_u64(l, "est_error_ns", &tie.est_error_ns) &&
			get_s64(l, "freq_ppb", &tie.freq_ppb) && get_u64(l, "synced", &is_synced);
	tie.is_synced = is_synced;
	return ktrace_ties_add_clock(&t->ties, &tie);
}

/* Returns @has if the line has the number, else 0. */
static __u32 stated(bool is_there, enum ktrace_time_source_has has)
{
	return is_there ? has : 0;
}

int ktrace_meta_add_source(struct trace *t, const struct line *l)
{
	struct ktrace_time_source s = {
		.name = get_str(l, "name"), .state = get_str(l, "state"),
		.reference = get_str(l, "ref"), .stratum = get_u32(l, "stratum", 255),
	};
	__u64 stratum;

	if (!get_u64(l, "ts", &s.raw))
		return -EINVAL;
	s.has = stated(get_s64(l, "offset_ns", &s.offset_ns), KTRACE_SOURCE_OFFSET) |
		stated(get_u64(l, "delay_ns", &s.delay_ns), KTRACE_SOURCE_DELAY) |
		stated(get_u64(l, "dispersion_ns", &s.dispersion_ns), KTRACE_SOURCE_DISPERSION) |
		stated(get_s64(l, "freq_ppb", &s.freq_ppb), KTRACE_SOURCE_FREQUENCY) |
		stated(get_u64(l, "skew_ppb", &s.skew_ppb), KTRACE_SOURCE_SKEW) |
		stated(get_u64(l, "stratum", &stratum) && stratum == s.stratum,
		       KTRACE_SOURCE_STRATUM);
	return ktrace_ties_add_source(&t->ties, &s);
}

int ktrace_meta_add_ping(struct trace *t, const struct line *l)
{
	struct ktrace_ping p = {
		.peer_boot = get_str(l, "peer_boot"), .peer = get_str(l, "peer"),
		.peer_clock = get_str(l, "peer_clock"),
	};

	if (!get_u64(l, "sent", &p.raw_sent) || !get_u64(l, "received", &p.received) ||
	    !get_u64(l, "received_there", &p.received_there) ||
	    !get_u64(l, "sent_there", &p.sent_there))
		return -EINVAL;
	get_u64(l, "received_there_ns", &p.received_there_ns);
	get_u64(l, "sent_there_ns", &p.sent_there_ns);
	/* The recorder that began sent its packet before it received the other one. */
	p.is_answered = p.received < p.raw_sent ||
			(p.received == p.raw_sent && p.sent_there < p.received_there);
	return ktrace_ties_add_ping(&t->ties, &p);
}
