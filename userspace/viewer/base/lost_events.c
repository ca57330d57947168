// SPDX-License-Identifier: GPL-2.0
/* lost_events.c - reads ktrace:lost events, and writes their sums */
#include "lost_events.h"

#include "model/slices.h"

#include "json.h"
#include "table.h"

#include <stdio.h>

bool lost_events_read(const struct ktrace_trace_event *e, __u32 *reason, __u64 *count)
{
	struct ktrace_value why, nr;
	struct ktrace_values it;

	ktrace_values_init(&it, e->type, e->payload, e->len);
	if (!ktrace_values_next(&it, &why) || !ktrace_values_next(&it, &nr) || !nr.count)
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
	*sum = lost_sum(*sum, count);
}

void lost_events_text(struct ktrace_out *out, const __u64 *sums)
{
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++)
		if (sums[i])
			out_printf(out, " %s %llu", ktrace_lost_name(i), sums[i]);
}

void lost_events_json(struct ktrace_out *out, const __u64 *sums)
{
	json_open(out, "lost", '{');
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++)
		if (sums[i])
			json_u64(out, ktrace_lost_name(i), sums[i]);
	ktrace_out_char(out, '}');
}

void lost_events_warn(const __u64 *sums)
{
	const __u64 lost = lost_total(sums);

	if (lost)
		fprintf(stderr, "ktrace: %llu events were lost in this range\n", lost);
}

void deep_slices_warn(__u64 nr)
{
	if (nr)
		fprintf(stderr, "ktrace: %llu slices are left out: more than %u others of their "
			"thread were open\n", nr, SLICES_DEPTH);
}
