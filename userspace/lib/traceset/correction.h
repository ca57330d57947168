/* SPDX-License-Identifier: LGPL-2.1 */
/* correction.h - times of a trace by the clock of another host */
#ifndef KTRACE_TRACESET_CORRECTION_H
#define KTRACE_TRACESET_CORRECTION_H

#include <ktrace/traceset.h>

#include "clock.h"

/**
 * struct correction - no knots: the trace has its own times
 * @clock:	a reading for each knot: times instead of CLOCK_MONOTONIC
 * @errors:	of each knot
 * @is_reference: its clock is that of all: no time is wrong
 */
struct correction {
	struct clock clock;
	struct ktrace_time_error *errors;
	bool is_reference;
};

int ktrace_correction_set(struct correction *c, const struct ktrace_correction *knots, size_t nr);
int ktrace_correction_copy(struct correction *to, const struct correction *from);
bool ktrace_correction_error(const struct correction *c, __u64 raw, struct ktrace_time_error *out);
bool ktrace_correction_has_errors(const struct correction *c);
void ktrace_correction_free(struct correction *c);

#endif
