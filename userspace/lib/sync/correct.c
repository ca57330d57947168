// SPDX-License-Identifier: LGPL-2.1
/*
 * correct.c - the knots of hosts become corrections of traces
 *
 * From a stamp to the host's time, to the reference's time, to the reference's stamp, to the time
 * that its trace gives to that stamp: all of them are made of lines, and so is the whole. Its knots
 * are those of the host and the reference's readings of its clocks.
 */
#include "sync.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

/* struct correcting - a trace being corrected */
struct correcting {
	const struct machine *machine;
	const struct machine *reference;
	const struct ktrace_trace *trace;
	const struct ktrace_trace *other;
	struct ktrace_correction *knots;
	size_t nr;
	size_t cap;
};

static __u64 whole(double ns)
{
	return ns < 0x1p62 ? (__u64)ceil(fmax(ns, 0)) : ~0ull;
}

/* Adds a knot unless it is out of order. */
static int add(struct correcting *c, const struct knot *k, __u64 time)
{
	const __u64 raw = ktrace_machine_raw(c->machine, c->trace, k->x);
	struct ktrace_correction *last = c->nr ? &c->knots[c->nr - 1] : NULL;

	if (last && (raw <= last->raw || time < last->time)) {
		last->early_ns = whole(fmax((double)last->early_ns, k->early));
		last->late_ns = whole(fmax((double)last->late_ns, k->late));
		return 0;
	}
	if (!LIST_GROW(c->knots, c->nr, c->cap))
		return -ENOMEM;
	c->knots[c->nr++] = (struct ktrace_correction){
		.raw = raw, .time = time, .early_ns = whole(k->early), .late_ns = whole(k->late),
	};
	return 0;
}

static __u64 time_at(const struct correcting *c, double t)
{
	return ktrace_trace_time(c->other, ktrace_machine_raw(c->reference, c->other, t));
}

/* Adds the readings of the reference between two knots. */
static int add_readings(struct correcting *c, const struct knot *a, size_t *reading)
{
	const struct knot *b = a + 1;
	struct ktrace_clock_tie tie;
	int ret = 0;
	double t;

	for (; !ret && ktrace_trace_clock_tie(c->other, *reading, &tie); ++*reading) {
		t = ktrace_machine_ns(c->reference, c->other, tie.raw);
		if (t >= b->t)
			break;
		if (t > a->t && b->t > a->t)
			ret = add(c, &(struct knot){
				.x = a->x + (b->x - a->x) * (t - a->t) / (b->t - a->t), .t = t,
				.early = fmax(a->early, b->early), .late = fmax(a->late, b->late),
			}, ktrace_trace_time(c->other, tie.raw));
	}
	return ret;
}

static int correct(struct ktrace_sync *sync, struct ktrace_traceset *set, size_t number)
{
	const struct machines *all = &sync->machines;
	const struct machine *reference = &all->at[sync->e.reference];
	const struct host *host = &sync->e.hosts[all->of_trace[number]];
	struct correcting c = {
		.machine = &all->at[all->of_trace[number]], .reference = reference,
		.trace = ktrace_traceset_trace(set, number),
		.other = ktrace_traceset_trace(set, reference->trace),
	};
	size_t i, reading = 0;
	int ret = 0;

	for (i = 0; i < host->knot_nr && !ret; i++) {
		ret = add(&c, &host->knots[i], time_at(&c, host->knots[i].t));
		if (!ret && i + 1 < host->knot_nr)
			ret = add_readings(&c, &host->knots[i], &reading);
	}
	if (!ret && c.nr > 1)
		ret = ktrace_traceset_correct(set, number, c.knots, c.nr);
	free(c.knots);
	return ret;
}

/* Notes what is added to a host's times in the middle of the trace, before it is corrected. */
static void note_offset(struct ktrace_sync *sync, const struct ktrace_traceset *set, __u32 number)
{
	const struct machine *m = &sync->machines.at[number];
	const struct machine *reference = &sync->machines.at[sync->e.reference];
	const struct ktrace_trace *t = ktrace_traceset_trace(set, m->trace);
	const struct ktrace_trace *other = ktrace_traceset_trace(set, reference->trace);
	const double x = (m->begin + m->end) / 2;
	const double there = ktrace_estimate_time(&sync->e, number, x);

	if (sync->e.hosts[number].knot_nr > 1)
		sync->offset[number] = (double)(__s64)
			(ktrace_trace_time(other, ktrace_machine_raw(reference, other, there)) -
			 ktrace_trace_time(t, ktrace_machine_raw(m, t, x)));
}

/* A clock that goes back has several times for a stamp: no interval is right for all of them. */
static void forget_errors(struct host *h)
{
	size_t i;

	for (i = 0; i < h->knot_nr; i++)
		h->knots[i].early = h->knots[i].late = INFINITY;
}

/* Corrects all traces whose hosts have knots. Returns 0, -ENOMEM. */
int ktrace_sync_correct(struct ktrace_sync *sync, struct ktrace_traceset *set)
{
	size_t i;
	__u32 h;
	int ret = 0;

	for (h = 0; h < sync->machines.nr && sync->stats.back; h++)
		forget_errors(&sync->e.hosts[h]);

	for (h = 0; h < sync->machines.nr; h++)
		note_offset(sync, set, h);
	for (i = 0; i < sync->machines.trace_nr && !ret; i++)
		if (sync->machines.of_trace[i] != sync->e.reference)
			ret = correct(sync, set, i);
	for (i = 0; i < sync->machines.trace_nr && !ret; i++)
		if (sync->machines.of_trace[i] == sync->e.reference)
			ret = ktrace_traceset_set_reference(set, i);
	return ret;
}
