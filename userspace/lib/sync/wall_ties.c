// SPDX-License-Identifier: LGPL-2.1
/*
 * wall_ties.c - bounds from META lines: synchronised wall clocks, and pings of recorders
 *
 * Wall clocks that are synchronised are so many readings of one clock, UTC, which is a host of its
 * own in the estimate. The kernel says how wrong each may be.
 */
#include "sync.h"

#include <math.h>
#include <string.h>

#define READ_NS 2000.0			/* the clocks of a reading are read one after the other */
#define ERROR_MAX_NS 1000000000ull	/* larger ones say nothing */

/* struct walk - a trace, and where its bounds go */
struct walk {
	struct ktrace_sync *sync;
	const struct ktrace_traceset *set;
	const struct ktrace_trace *trace;
	__u32 host;
	__u64 epoch;
};

static int add_wall(struct walk *w, __u64 raw, __u64 real, double error)
{
	const struct machine *m = &w->sync->machines.at[w->host];
	const double utc = real < w->epoch ? -(double)(w->epoch - real) :
					     (double)(real - w->epoch);

	w->sync->stats.wall_readings++;
	return ktrace_estimate_tie(&w->sync->e, w->host, w->sync->machines.nr, utc,
				   ktrace_machine_ns(m, w->trace, raw), error + READ_NS);
}

/* Programs that set the clock may state no error at all; that is none. */
static int add_readings(struct walk *w)
{
	struct ktrace_clock_tie tie;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && ktrace_trace_clock_tie(w->trace, i, &tie); i++)
		if (tie.has_error && tie.is_synced && tie.max_error_ns &&
		    tie.max_error_ns < ERROR_MAX_NS)
			ret = add_wall(w, tie.raw, tie.real_ns, (double)tie.max_error_ns);
	return ret;
}

/* chrony states the error of CLOCK_REALTIME more tightly than the kernel. */
static int add_sources(struct walk *w)
{
	const __u32 needed = KTRACE_SOURCE_OFFSET | KTRACE_SOURCE_DELAY |
			     KTRACE_SOURCE_DISPERSION;
	struct ktrace_time_source source;
	double error;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && ktrace_trace_time_source(w->trace, i, &source); i++) {
		if (strcmp(source.name, "chrony") || (source.has & needed) != needed ||
		    !source.stratum)
			continue;
		/* A file can state any numbers: as a double their sum does not overflow. */
		error = fabs((double)source.offset_ns) + (double)source.delay_ns / 2 +
			(double)source.dispersion_ns;
		if (error < (double)ERROR_MAX_NS)
			ret = add_wall(w, source.raw, ktrace_trace_wall(w->trace, source.raw),
				       error);
	}
	return ret;
}

/* Returns the trace of the host with a boot id whose stamps a ping has, NULL. */
static const struct ktrace_trace *find_peer(const struct walk *w, const struct ktrace_ping *ping,
					    __u32 *host)
{
	const struct machines *all = &w->sync->machines;
	const struct ktrace_trace *t;
	struct ktrace_clock_info clock;
	size_t i;

	for (i = 0; (t = ktrace_traceset_trace(w->set, i)); i++) {
		*host = all->of_trace[i];
		ktrace_trace_clock(t, &clock);
		if (all->at[*host].boot && !strcmp(all->at[*host].boot, ping->peer_boot) &&
		    (!ping->peer_clock || !clock.clock || !strcmp(ping->peer_clock, clock.clock)))
			return t;
	}
	return NULL;
}

static int add_ping(struct walk *w, const struct ktrace_ping *ping)
{
	const struct machines *all = &w->sync->machines;
	__u32 host;
	const struct ktrace_trace *peer = find_peer(w, ping, &host);
	int ret;

	if (!peer || host == w->host) {
		w->sync->stats.pings_left_out++;
		return 0;
	}
	w->sync->stats.pings++;
	ret = ktrace_estimate_message(&w->sync->e, w->host, host,
				      ktrace_machine_ns(&all->at[w->host], w->trace,
							ping->raw_sent),
				      ktrace_machine_ns(&all->at[host], peer,
							ping->received_there));
	return ret ? ret :
	       ktrace_estimate_message(&w->sync->e, host, w->host,
				       ktrace_machine_ns(&all->at[host], peer, ping->sent_there),
				       ktrace_machine_ns(&all->at[w->host], w->trace,
							 ping->received));
}

/* Takes in what META says about clocks. Returns 0, -ENOMEM. */
int ktrace_sync_ties(struct ktrace_sync *sync, const struct ktrace_traceset *set)
{
	struct walk w = { .sync = sync, .set = set };
	struct ktrace_clock_tie first;
	struct ktrace_ping ping;
	int ret = 0;
	size_t i, k;

	for (i = 0; !ret && (w.trace = ktrace_traceset_trace(set, i)); i++) {
		w.host = sync->machines.of_trace[i];
		if (!w.epoch && ktrace_trace_clock_tie(w.trace, 0, &first))
			w.epoch = first.real_ns;
		ret = add_readings(&w);
		if (!ret)
			ret = add_sources(&w);
		for (k = 0; !ret && ktrace_trace_ping(w.trace, k, &ping); k++)
			ret = add_ping(&w, &ping);
	}
	return ret;
}
