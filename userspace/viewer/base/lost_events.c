// SPDX-License-Identifier: GPL-2.0
/* lost_events.c - reads ktrace:lost events */
#include "lost_events.h"

bool lost_events_read(const struct ktrace_trace_event *e, __u32 *reason, __u64 *count)
{
	struct ktrace_value why, nr;
	struct ktrace_values it;

	ktrace_values_init(&it, e->type, e->payload, e->len);
	if (!ktrace_values_next(&it, &why) || !ktrace_values_next(&it, &nr))
		return false;
	*reason = (__u32)ktrace_value_s64(&why, 0);
	*count = (__u64)ktrace_value_s64(&nr, 0);
	return true;
}

_Static_assert(!(KTRACE_LOST_NR & (KTRACE_LOST_NR - 1)), "a mask bounds reasons");

void lost_events_add(__u64 *sums, const struct ktrace_trace_event *e)
{
	__u64 count, *sum;
	__u32 reason;

	if (!lost_events_read(e, &reason, &count))
		return;
	sum = &sums[reason & (KTRACE_LOST_NR - 1)];
	*sum = count > ~0ull - *sum ? ~0ull : *sum + count;
}
