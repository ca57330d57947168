/* SPDX-License-Identifier: GPL-2.0 */
/* clocks.h - all clocks of the machine at one instant (E.10) */
#ifndef KTRACED_BASE_CLOCKS_H
#define KTRACED_BASE_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCKS_NR 6

struct clock_readings {
	bool is_set;
	uint64_t ns[CLOCKS_NR];		/* the first is boottime */
};

/* Returns the number of a clock in packets: BuiltinClock */
uint32_t clocks_id(unsigned int index);
void clocks_read(struct clock_readings *r);
/* True if a clock has moved differently from boottime since @before, by 10 ms or more. */
bool clocks_have_drifted(const struct clock_readings *before, const struct clock_readings *now);
uint64_t clocks_boot_ns(void);
uint64_t clocks_real_ns(const struct clock_readings *r);

#endif
