// SPDX-License-Identifier: GPL-2.0
/* clocks.c - all clocks of the machine at one instant */
#include "clocks.h"

#include "base/clock.h"

#define DRIFT_NS 10000000

/* Public numbers of the protocol */
static const struct {
	clockid_t clock;
	uint32_t id;
} clocks[CLOCKS_NR] = {
	{ CLOCK_BOOTTIME, 6 },
	{ CLOCK_REALTIME, 1 },
	{ CLOCK_REALTIME_COARSE, 2 },
	{ CLOCK_MONOTONIC, 3 },
	{ CLOCK_MONOTONIC_COARSE, 4 },
	{ CLOCK_MONOTONIC_RAW, 5 },
};

uint32_t clocks_id(unsigned int index)
{
	return clocks[index].id;
}

uint64_t clocks_boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

uint64_t clocks_real_ns(const struct clock_readings *r)
{
	return r->ns[1];
}

void clocks_read(struct clock_readings *r)
{
	for (unsigned int i = 0; i < CLOCKS_NR; i++)
		r->ns[i] = clock_ns(clocks[i].clock);
	r->is_set = true;
}

bool clocks_have_drifted(const struct clock_readings *before, const struct clock_readings *now)
{
	int64_t boot = (int64_t)(now->ns[0] - before->ns[0]);

	for (unsigned int i = 1; i < CLOCKS_NR; i++) {
		int64_t off = (int64_t)(now->ns[i] - before->ns[i]) - boot;

		if (off >= DRIFT_NS || off <= -DRIFT_NS)
			return true;
	}
	return false;
}
