// SPDX-License-Identifier: GPL-2.0
/*
 * clock.c - the clock of a simulated host
 *
 * The knots are the definition: tests interpolate between them and so know the true time of each
 * stamp. A clock whose rate changes has one every 100 ms.
 */
#include "clock.h"

#include <stdlib.h>

#define PIECE_NS 100000000ull
#define NS_PER_S 1000000000ull
#define WALK_MAX_PPM 50.0

static void add_knot(struct sim_clock *c, __u64 t, __u64 raw)
{
	if (c->nr == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->knots = realloc(c->knots, c->cap * sizeof(*c->knots));
		if (!c->knots)
			abort();
	}
	c->knots[c->nr++] = (struct sim_knot){ t, raw };
}

static bool is_steady(const struct sim_clock_options *o)
{
	return o->sine_ppm == 0 && o->walk_ppb == 0;
}

/* Returns the next time at which the rate may change or the clock is set. */
static __u64 piece_end(const struct sim_clock_options *o, __u64 t, __u64 end)
{
	__u64 next = is_steady(o) ? end : (t / PIECE_NS + 1) * PIECE_NS;

	for (size_t i = 0; i < o->step_nr; i++) {
		const __u64 at = (__u64)(o->steps[i].at_s * 1e9);

		if (at > t && at < next)
			next = at;
	}
	return next < end ? next : end;
}

static double step_at(const struct sim_clock_options *o, __u64 t)
{
	double by = 0;

	for (size_t i = 0; i < o->step_nr; i++)
		if ((__u64)(o->steps[i].at_s * 1e9) == t)
			by += o->steps[i].by_s;
	return by;
}

/* Ticks more than nominal in @ns from @t on */
static double extra_ticks(const struct sim_clock_options *o, double walk_ppm, __u64 t, __u64 ns)
{
	const double middle = ((double)t + (double)ns / 2) / 1e9;
	double ppm = o->drift_ppm + walk_ppm;

	if (o->sine_ppm != 0)
		ppm += o->sine_ppm * sin(2 * M_PI * middle / o->sine_s);
	return ppm * 1e-6 * (double)ns * (double)o->hz / 1e9;
}

/* Nominal ticks and some more, or less; only these are rounded as a double is. */
static __u64 ticks_with(const struct sim_clock_options *o, __u64 ns, double more)
{
	return (__u64)((unsigned __int128)ns * o->hz / NS_PER_S) + (__u64)(__s64)llround(more);
}

/* Makes the clock from the beginning to @end_ns and a second more. */
void sim_clock_make(struct sim_clock *c, const struct sim_clock_options *o, __u64 end_ns,
		    struct random *random)
{
	const __u64 end = end_ns + NS_PER_S, first = (__u64)(o->uptime_s * (double)o->hz);
	double extra = 0, stepped = 0, walk = 0, by;
	__u64 t = 0, next;

	*c = (struct sim_clock){ .o = *o };
	add_knot(c, 0, first);
	while (t < end) {
		next = piece_end(o, t, end);
		if (o->walk_ppb != 0)
			walk += (2 * random_unit(random) - 1) * o->walk_ppb * 1e-12 *
				(double)(next - t);
		if (fabs(walk) > WALK_MAX_PPM)
			walk = copysign(WALK_MAX_PPM, walk);
		extra += extra_ticks(o, walk, t, next - t);
		t = next;
		by = step_at(o, t);
		add_knot(c, t, first + ticks_with(o, t, extra + stepped));
		if (by != 0 && t < end) {
			stepped += by * (double)o->hz;
			add_knot(c, t, first + ticks_with(o, t, extra + stepped));
		}
	}
}

__u64 sim_clock_raw(struct sim_clock *c, __u64 t)
{
	const struct sim_knot *k;

	while (c->at && c->knots[c->at].t > t)
		c->at--;
	while (c->at + 2 < c->nr && c->knots[c->at + 1].t <= t)
		c->at++;
	k = &c->knots[c->at];
	return k->raw + (__u64)((__int128)(t - k->t) * (k[1].raw - k->raw) / (k[1].t - k->t));
}

/* CLOCK_MONOTONIC, ns: the counter by its nominal frequency, or disciplined */
static __u64 mono_at(const struct sim_clock *c, __u64 t, __u64 raw)
{
	const struct sim_clock_options *o = &c->o;
	double wander;

	if (o->is_monotonic)
		return raw;
	if (o->ntp_us < 0)
		return (__u64)((unsigned __int128)raw * NS_PER_S / o->hz);
	wander = o->ntp_us * 1e3 * sin(2 * M_PI * (double)t / 1e9 / 1024);
	return (__u64)(o->uptime_s * 1e9) + t + (__u64)(__s64)wander;
}

/* Reads all clocks at @t. */
void sim_clock_read(struct sim_clock *c, __u64 t, struct sim_reading *out)
{
	const struct sim_clock_options *o = &c->o;
	__s64 error = llround(o->wall_s * 1e9);

	for (size_t i = 0; i < o->wall_step_nr; i++)
		if ((double)t >= o->wall_steps[i].at_s * 1e9)
			error += llround(o->wall_steps[i].by_s * 1e9);
	out->raw = sim_clock_raw(c, t);
	out->mono_ns = mono_at(c, t, out->raw);
	out->real_ns = SIM_EPOCH_NS + (__u64)error + out->mono_ns - mono_at(c, 0, c->knots[0].raw);
}

void sim_clock_print(const struct sim_clock *c, int host, FILE *to)
{
	for (size_t i = 0; i < c->nr; i++)
		fprintf(to, "knot %d %llu %llu\n", host, SIM_EPOCH_NS + c->knots[i].t,
			c->knots[i].raw);
}
