// SPDX-License-Identifier: LGPL-2.1
/* result.c - what was found, in the terms of the public header */
#include "sync.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

static double known(double ns)
{
	return isfinite(ns) ? ns : -1;
}

/* Sets the mean and the largest error of a host, weighted by time. */
static void set_errors(const struct host *h, struct ktrace_sync_host *out)
{
	double sum = 0, span = 0, width;
	size_t i;

	out->error_ns = out->max_error_ns = h->knot_nr > 1 ? 0 : -1;
	for (i = 0; i + 1 < h->knot_nr; i++) {
		width = (h->knots[i].early + h->knots[i].late + h->knots[i + 1].early +
			 h->knots[i + 1].late) / 4;
		sum += width * (h->knots[i + 1].x - h->knots[i].x);
		span += h->knots[i + 1].x - h->knots[i].x;
		out->max_error_ns = fmax(out->max_error_ns, width);
	}
	if (span > 0)
		out->error_ns = sum / span;
	out->error_ns = known(out->error_ns);
	out->max_error_ns = known(out->max_error_ns);
}

/* Returns the rate of a host's clock less 1, without the places where it was set. */
static double drift_of(const struct estimate *e, const struct host *h)
{
	double x = 0, t = 0, dx, dt;
	size_t i;

	for (i = 0; i + 1 < h->knot_nr; i++) {
		dx = h->knots[i + 1].x - h->knots[i].x;
		dt = h->knots[i + 1].t - h->knots[i].t;
		if (fabs(dt - dx) > 2 * e->max_rate * dx)
			continue;
		x += dx;
		t += dt;
	}
	return x > 0 ? t / x - 1 : 0;
}

static enum ktrace_sync_quality quality_of(const struct ktrace_sync *sync, __u32 i)
{
	const struct host *h = &sync->e.hosts[i];

	if (i == sync->e.reference)
		return KTRACE_SYNC_EXACT;
	if (h->is_linked && sync->stats.back)
		return KTRACE_SYNC_FAIL;
	if (h->is_linked)
		return sync->e.regresses ? KTRACE_SYNC_APPROXIMATE : KTRACE_SYNC_ACCURATE;
	return h->knot_nr > 1 ? KTRACE_SYNC_INCOMPLETE : KTRACE_SYNC_ABSENT;
}

bool ktrace_sync_host(const struct ktrace_sync *sync, __u32 i, struct ktrace_sync_host *out)
{
	const struct host *h = &sync->e.hosts[i];
	const struct machine *m = &sync->machines.at[i];

	if (i >= sync->e.nr)
		return false;
	*out = (struct ktrace_sync_host){
		.quality = quality_of(sync, i), .is_reference = i == sync->e.reference,
		.parent = h->parent == HOST_NONE ? KTRACE_SYNC_NONE : h->parent,
		.offset_ns = sync->offset[i],
	};
	if (i < sync->machines.nr) {
		out->name = m->name;
		out->boot = m->boot;
		out->path = m->path;
	}
	set_errors(h, out);
	if (out->is_reference)
		out->error_ns = out->max_error_ns = 0;
	out->drift_ppm = drift_of(&sync->e, h) * 1e6;
	return true;
}

__u32 ktrace_sync_host_of(const struct ktrace_sync *sync, size_t trace)
{
	return trace < sync->machines.trace_nr ? sync->machines.of_trace[trace] : KTRACE_SYNC_NONE;
}

/* Sets one line for the whole time by the hull, and by least squares. */
static void set_lines(struct pair *p, struct ktrace_sync_pair *out)
{
	const double from = p->leaf_nr ? p->leaves[0].from : 0;
	const double to = p->leaf_nr ? p->leaves[p->leaf_nr - 1].to : 0, x = (from + to) / 2;
	struct regression_line line;
	struct offset_range r;
	double rate;

	if (ktrace_pair_whole(p, x, &r) == 1 && isfinite(r.low) && isfinite(r.high)) {
		rate = (r.low_rate + r.high_rate) / 2;
		out->hull = (struct ktrace_sync_line){
			.is_valid = true, .drift_ppm = rate * 1e6,
			.offset_ns = (r.low + r.high) / 2 - rate * x,
			.error_ns = (r.high - r.low) / 2,
		};
	}
	if (ktrace_regression_line(&p->regression, x, INFINITY, &line) && isfinite(line.error))
		out->regression = (struct ktrace_sync_line){
			.is_valid = true, .drift_ppm = line.rate * 1e6,
			.offset_ns = line.offset - line.rate * x, .error_ns = known(line.error),
		};
}

bool ktrace_sync_pair(const struct ktrace_sync *sync, size_t i, struct ktrace_sync_pair *out)
{
	struct edge *edge = i < sync->e.edge_nr ? sync->e.edges[i] : NULL;
	struct pair *p = edge ? &edge->pair : NULL;

	if (!edge)
		return false;
	*out = (struct ktrace_sync_pair){
		.host = { p->host[0], p->host[1] }, .is_used = edge->is_used,
		.messages = { p->messages[0], p->messages[1] }, .ties = p->ties,
		.gaps = p->run_nr ? p->run_nr - 1 : 0, .loosened = p->loosened,
		.inverted = edge->inverted, .error_ns = known(edge->error),
		.max_error_ns = isfinite(edge->error) ? edge->max_error : -1,
		.covered = edge->covered, .window_ns = p->reach,
		.least_trip_ns = known(p->shortest),
		.quality = isfinite(edge->error) ? KTRACE_SYNC_ACCURATE :
			   !p->run_nr ? KTRACE_SYNC_FAIL :
			   edge->has_one ? KTRACE_SYNC_INCOMPLETE : KTRACE_SYNC_ABSENT,
	};
	memcpy(out->trips, p->trips, sizeof(out->trips));
	set_lines(p, out);
	return true;
}

bool ktrace_sync_gap(const struct ktrace_sync *sync, size_t i, size_t k,
		     struct ktrace_sync_gap *out)
{
	struct pair *p = i < sync->e.edge_nr ? &sync->e.edges[i]->pair : NULL;
	const struct estimate *e = &sync->e;
	struct offset_range before, after;
	const struct run *a;
	__u32 second;

	if (!p || k + 1 >= p->run_nr)
		return false;
	a = &p->runs[k];
	second = p->host[1];
	*out = (struct ktrace_sync_gap){ .from = a->to, .to = a[1].from };
	if (ktrace_pair_range(p, a->to, &before) == 1 &&
	    ktrace_pair_range(p, a[1].from, &after) == 1 && isfinite(before.low + before.high) &&
	    isfinite(after.low + after.high))
		out->step_ns = (after.low + after.high - before.low - before.high) / 2;
	if (second < sync->machines.nr && sync->machines.at[second].path) {
		out->from = ktrace_estimate_time(e, second, a->to);
		out->to = ktrace_estimate_time(e, second, a[1].from);
	}
	return true;
}

void ktrace_sync_stats(const struct ktrace_sync *sync, struct ktrace_sync_stats *out)
{
	*out = sync->stats;
	out->contradictions = sync->e.contradictions;
}
