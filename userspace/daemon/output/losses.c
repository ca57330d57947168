// SPDX-License-Identifier: GPL-2.0
/* losses.c - sums up the losses of a session by reason */
#include "losses.h"

#include "base/lost.h"

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
		lost_add(sum, &one);
	}
	if (!ktrace_session_info(s, &info))
		sum->count[KTRACE_LOST_NORING] =
			lost_sum(sum->count[KTRACE_LOST_NORING], info.lost_noring);
}
