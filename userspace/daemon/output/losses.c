// SPDX-License-Identifier: GPL-2.0
/* losses.c - sums up the losses of a session by reason */
#include "losses.h"

static __u64 add_sat(__u64 a, __u64 b)
{
	return a + b < a ? ~0ull : a + b;
}

__u64 losses_by_reader(const struct ktrace_lost *sum)
{
	return sum->count[KTRACE_LOST_OVERWRITTEN] + sum->count[KTRACE_LOST_CORRUPT] +
	       sum->count[KTRACE_LOST_UNWRITTEN];
}

void losses_of(struct ktrace_session *s, struct ktrace_lost *sum)
{
	struct ktrace_session_info info;

	*sum = (struct ktrace_lost) { 0 };
	for (__u32 i = 0; i < ktrace_stream_nr(s); i++) {
		struct ktrace_lost one;

		ktrace_stream_lost(s, i, &one);
		for (int k = 0; k < KTRACE_LOST_NR; k++)
			sum->count[k] = add_sat(sum->count[k], one.count[k]);
	}
	if (!ktrace_session_info(s, &info))
		sum->count[KTRACE_LOST_NORING] =
			add_sat(sum->count[KTRACE_LOST_NORING], info.lost_noring);
}
