/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sync_truth.h - simulated clocks and messages, whose true times are known
 *
 * Time t is true time in ns. Clocks drift by up to 200 ppm; their rate changes, by a sine, at most
 * as fast as the estimator is told; they may be set. Delays have a least value for each direction
 * and pair, and some distribution above it.
 */
#ifndef TESTS_SYNC_TRUTH_H
#define TESTS_SYNC_TRUTH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "check.h"

#define TRUTH_HOSTS 4u
#define TRUTH_WANDER 2e-17	/* a rate changes by at most 20 ppb in a second */
#define TRUTH_SECOND 1e9

enum truth_jitter { JITTER_NONE, JITTER_EXPONENTIAL, JITTER_BIMODAL, JITTER_HEAVY, JITTER_NR };
enum truth_traffic { TRAFFIC_STAR, TRAFFIC_MESH, TRAFFIC_RARE, TRAFFIC_BURSTS, TRAFFIC_ONE_WAY,
		     TRAFFIC_NR };

/* struct truth_clock - shows offset + t + drift t + what a sine of the rate adds up to + steps */
struct truth_clock {
	double offset;
	double drift;
	double amplitude;
	double period;
	double phase;
	double step_at;
	double step_by;
};

struct truth_message {
	__u32 from;
	__u32 to;
	double sent;
	double received;
};

/* struct truth - a run */
struct truth {
	__u64 random;
	double span;
	__u32 nr;
	struct truth_clock clocks[TRUTH_HOSTS];
	enum truth_jitter jitter;
	enum truth_traffic traffic;
	double jitter_ns;
	double least[TRUTH_HOSTS][TRUTH_HOSTS];
	double loss;
	bool is_closed;		/* no request before the answer to the last one */
	struct truth_message *messages;
	size_t message_nr;
	size_t message_cap;
};

/* Above 0, at most 1 */
static inline double truth_random(struct truth *r)
{
	__u64 z = r->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return ((double)((z ^ (z >> 31)) >> 11) + 1) / 9007199254740992.0;
}

static inline double truth_between(struct truth *r, double low, double high)
{
	return low + (high - low) * truth_random(r);
}

/* All magnitudes are equally likely. */
static inline double truth_magnitude(struct truth *r, double low, double high)
{
	return low * pow(high / low, truth_random(r));
}

/* What the clock shows at @t */
static inline double truth_clock_at(const struct truth_clock *c, double t)
{
	const double turn = 2 * M_PI / c->period;

	return c->offset + t + c->drift * t +
	       c->amplitude / turn * (cos(c->phase) - cos(turn * t + c->phase)) +
	       (t >= c->step_at ? c->step_by : 0);
}

/* Without the offset and the steps: what is left when drift is known */
static inline double truth_clock_shape(const struct truth_clock *c, double t)
{
	return truth_clock_at(c, t) - c->offset - t - (t >= c->step_at ? c->step_by : 0);
}

static inline double truth_delay(struct truth *r, __u32 from, __u32 to)
{
	const double mean = r->jitter_ns, u = truth_random(r), least = r->least[from][to];

	switch (r->jitter) {
	case JITTER_EXPONENTIAL: return least - log(u) * mean;
	case JITTER_BIMODAL:
		return least + mean * (u < 0.7 ? 0.1 * truth_random(r) : 3 + truth_random(r) / 5);
	case JITTER_HEAVY: return least + mean * (pow(u, -1 / 1.5) - 1) / 2;
	default: return least;
	}
}

/* Sends a message at @t; returns when it is there, or would be if it is lost. */
static inline double truth_send(struct truth *r, __u32 from, __u32 to, double t)
{
	const double there = t + truth_delay(r, from, to);

	if (truth_random(r) <= r->loss || there > r->span)
		return there;
	if (r->message_nr == r->message_cap) {
		r->message_cap = r->message_cap ? 2 * r->message_cap : 1024;
		r->messages = realloc(r->messages, r->message_cap * sizeof(*r->messages));
		CHECK(r->messages);
	}
	r->messages[r->message_nr++] = (struct truth_message){ from, to, t, there };
	return there;
}

/* A request, and its answer; returns when that is there */
static inline double truth_exchange(struct truth *r, double t)
{
	__u32 from = 0, to = 1 + (__u32)(truth_random(r) * 0.999 * (r->nr - 1));
	double there;

	if (r->traffic == TRAFFIC_MESH) {
		from = (__u32)(truth_random(r) * 0.999 * r->nr);
		to = (from + 1 + (__u32)(truth_random(r) * 0.999 * (r->nr - 1))) % r->nr;
	}
	there = truth_send(r, from, to, t);
	if (r->traffic == TRAFFIC_ONE_WAY)
		return there;
	return truth_send(r, to, from, there + truth_magnitude(r, 1e4, 1e6));
}

static inline int truth_by_time(const void *a, const void *b)
{
	const struct truth_message *m = a, *n = b;

	return (m->received > n->received) - (m->received < n->received);
}

static inline void truth_make_messages(struct truth *r, double exchanges)
{
	const double mean = r->span / exchanges;
	double t = 0, there;

	while ((t -= log(truth_random(r)) * mean) < r->span) {
		if (r->traffic == TRAFFIC_BURSTS && fmod(t, r->span / 3) > r->span / 12)
			t += r->span / 4;
		there = truth_exchange(r, t);
		t = r->is_closed ? there : t;
	}
	if (r->message_nr)
		qsort(r->messages, r->message_nr, sizeof(*r->messages), truth_by_time);
}

static inline void truth_make_clock(struct truth *r, struct truth_clock *c)
{
	double most;

	*c = (struct truth_clock){
		.offset = truth_between(r, 0, 4e12),
		.drift = truth_between(r, -200e-6, 200e-6),
		.period = truth_magnitude(r, 10, 3000) * TRUTH_SECOND,
		.phase = truth_between(r, 0, 2 * M_PI),
		.step_at = INFINITY,
	};
	most = 0.49 * TRUTH_WANDER * c->period / (2 * M_PI);
	c->amplitude = truth_random(r) < 0.3 ? 0 : most * truth_random(r);
}

/* enum truth_wish - what kind of run is wanted */
enum truth_wish {
	TRUTH_ANY,		/* no clock is set */
	TRUTH_STEPS,		/* one is set forward, by more than messages take, which are many */
	TRUTH_SYMMETRIC,	/* two steady clocks, both directions equally fast, one
				 * request at a time
				 */
};

static inline void truth_make_step(struct truth *r)
{
	struct truth_clock *c = &r->clocks[(__u32)(truth_random(r) * 0.999 * r->nr)];

	c->step_at = truth_between(r, 0.2, 0.8) * r->span;
	c->step_by = truth_magnitude(r, 2e7, 1e9);
	r->jitter_ns = truth_magnitude(r, 1e3, 1e5);
	r->traffic = truth_random(r) < 0.5 ? TRAFFIC_STAR : TRAFFIC_MESH;
	r->loss *= 0.2;
}

static inline void truth_make_symmetric(struct truth *r)
{
	r->nr = 2;
	r->least[1][0] = r->least[0][1];
	r->clocks[0].amplitude = r->clocks[1].amplitude = 0;
	r->traffic = TRAFFIC_STAR;
	r->loss = 0;
	r->is_closed = true;
}

static inline void truth_make(struct truth *r, __u64 seed, enum truth_wish wish)
{
	__u32 i, k;

	*r = (struct truth){ .random = seed * 0x2545f4914f6cdd1dull };
	r->nr = 2 + (__u32)(truth_random(r) * 2.999);
	r->span = truth_magnitude(r, 5, 2000) * TRUTH_SECOND;
	r->jitter = (enum truth_jitter)(truth_random(r) * 0.999 * JITTER_NR);
	r->traffic = (enum truth_traffic)(truth_random(r) * 0.999 * TRAFFIC_NR);
	r->jitter_ns = truth_magnitude(r, 1e3, 1e7);
	r->loss = truth_random(r) < 0.5 ? 0 : truth_between(r, 0, 0.5);
	for (i = 0; i < r->nr; i++) {
		truth_make_clock(r, &r->clocks[i]);
		for (k = 0; k < r->nr; k++)
			r->least[i][k] = truth_magnitude(r, 5e3, 1e6);
	}
	if (wish == TRUTH_STEPS)
		truth_make_step(r);
	if (wish == TRUTH_SYMMETRIC)
		truth_make_symmetric(r);
	truth_make_messages(r, wish == TRUTH_STEPS ? truth_magnitude(r, 1000, 3000) :
			    r->traffic == TRAFFIC_RARE ? truth_magnitude(r, 1, 30) :
							 truth_magnitude(r, 30, 3000));
}

static inline void truth_free(struct truth *r)
{
	free(r->messages);
}

#endif
