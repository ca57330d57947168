/* SPDX-License-Identifier: GPL-2.0 */
/* clock.h - the clock of a simulated host: true time to raw stamps, piecewise linear */
#ifndef TESTS_HOSTS_CLOCK_H
#define TESTS_HOSTS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "random.h"

#define SIM_EPOCH_NS 1700000000000000000ull	/* true time 0, ns since the epoch */
#define SIM_STEPS 8

/* struct sim_step - a clock is set at a true time */
struct sim_step {
	double at_s;
	double by_s;
};

/**
 * struct sim_clock_options - how a clock differs from true time
 * @is_monotonic:	stamps are ns of CLOCK_MONOTONIC; otherwise cycles
 * @hz:			nominal ticks per second
 * @uptime_s:		the counter has run for this long when the run begins
 * @drift_ppm:		it is faster than it should be by this
 * @sine_ppm:		and by this, times a sine
 * @sine_s:		with this period
 * @walk_ppb:		and by a random walk whose rate changes by at most this in a second
 * @steps:		of the raw clock, which only a clock that an importer took for monotonic has
 * @wall_s:		error of the wall clock at the beginning
 * @wall_steps:		of the wall clock
 * @ntp_us:		CLOCK_MONOTONIC and the wall clock are disciplined, wander by this; below
 *			0: they run freely, with the counter
 */
struct sim_clock_options {
	bool is_monotonic;
	__u64 hz;
	double uptime_s;
	double drift_ppm;
	double sine_ppm;
	double sine_s;
	double walk_ppb;
	struct sim_step steps[SIM_STEPS];
	size_t step_nr;
	double wall_s;
	struct sim_step wall_steps[SIM_STEPS];
	size_t wall_step_nr;
	double ntp_us;
};

/* struct sim_knot - the clock between two knots is a line, rounded down */
struct sim_knot {
	__u64 t;	/* true time, ns since the beginning */
	__u64 raw;
};

/**
 * struct sim_clock - a clock
 * @o:		what it was made from
 * @knots:	two of the same true time are a step
 * @nr:		their number
 * @cap:	room
 * @at:		the piece that was used last
 */
struct sim_clock {
	struct sim_clock_options o;
	struct sim_knot *knots;
	size_t nr;
	size_t cap;
	size_t at;
};

/* struct sim_reading - one reading of all clocks */
struct sim_reading {
	__u64 raw;
	__u64 mono_ns;
	__u64 real_ns;
};

void sim_clock_make(struct sim_clock *c, const struct sim_clock_options *o, __u64 end_ns,
		    struct random *random);
__u64 sim_clock_raw(struct sim_clock *c, __u64 t);
void sim_clock_read(struct sim_clock *c, __u64 t, struct sim_reading *out);
void sim_clock_print(const struct sim_clock *c, int host, FILE *to);

#endif
