// SPDX-License-Identifier: GPL-2.0
/* test_pft_clocks.c - when a new snapshot of the clocks is worth keeping (PFT-91) */
#include "check.h"

#include "base/clocks.h"

#define MS 1000000ll

/* A clock is set, or runs otherwise, by so much. */
static const struct {
	long long step;
	bool is_drift;
} steps[] = {
	{ 0, false }, { 10 * MS - 1, false }, { -10 * MS + 1, false }, { 10 * MS, true },
	{ -10 * MS, true }, { 3600000 * MS, true }, { -3600000 * MS, true },
};

static void drift(void)
{
	for (unsigned int clock = 0; clock < CLOCKS_NR; clock++)
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
			struct clock_readings before, now;

			clocks_read(&before);
			now = before;
			for (unsigned int k = 0; k < CLOCKS_NR; k++)
				now.ns[k] += 7777 * MS;
			now.ns[clock] += (uint64_t)steps[i].step;
			CHECK_EQ(clocks_have_drifted(&before, &now), steps[i].is_drift);
		}
}

/* The numbers are those of the protocol, each once; the first clock is boottime. */
static void numbers(void)
{
	unsigned int seen = 0;

	CHECK_EQ(clocks_id(0), 6);
	for (unsigned int i = 0; i < CLOCKS_NR; i++)
		seen |= 1u << clocks_id(i);
	CHECK_EQ(seen, 0x7e);
}

int main(void)
{
	drift();
	numbers();
	return 0;
}
