// SPDX-License-Identifier: LGPL-2.1
/* lost.c - names of events, flags and reasons of loss; the event type that reports losses */
#include <ktrace/traceset.h>

#include "trace.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	[KTRACE_LOST_FULL] = "full",
	[KTRACE_LOST_STOPPED] = "stopped",
	[KTRACE_LOST_TIMEOUT] = "timeout",
	[KTRACE_LOST_NESTED] = "nested",
	[KTRACE_LOST_NORING] = "noring",
	[KTRACE_LOST_OVERWRITTEN] = "overwritten",
	[KTRACE_LOST_CORRUPT] = "corrupt",
	[KTRACE_LOST_UNWRITTEN] = "unwritten",
};

_Static_assert(sizeof(names) / sizeof(names[0]) == KTRACE_LOST_NR, "each reason has a name");

const char *ktrace_lost_name(__u32 reason)
{
	return reason < KTRACE_LOST_NR ? names[reason] : NULL;
}

void ktrace_event_name(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	if (e->type) {
		ktrace_out_str(out, e->type->full_name);
		return;
	}
	ktrace_out_str(out, e->stream->kind == KTRACE_CHANNEL_KERNEL ? "kernel:" :
		       e->stream->kind == KTRACE_CHANNEL_USER ? "user:" : "unknown:");
	ktrace_out_u64(out, e->id);
}

const char *ktrace_event_flag_name(__u32 flag)
{
	switch (flag) {
	case KTRACE_EVENT_TRUNCATED:
		return "truncated";
	case KTRACE_EVENT_INCOMPLETE:
		return "incomplete";
	case KTRACE_EVENT_NO_START:
		return "no-start";
	case KTRACE_EVENT_IRQ:
		return "irq";
	case KTRACE_EVENT_CRITICAL:
		return "critical";
	case KTRACE_EVENT_BACKWARDS:
		return "backwards";
	default:
		return NULL;
	}
}

/* Copies the reasons that a LOST record counts. The daemon's own losses are in LOST sections. */
void ktrace_lost_of_writers(struct ktrace_lost *lost, const void *payload, size_t len)
{
	const size_t own = offsetof(struct ktrace_lost, count[KTRACE_LOST_OVERWRITTEN]);

	memset(lost, 0, sizeof(*lost));
	memcpy(lost, payload, len < own ? len : own);
}

/*
 * Makes the type of "ktrace:lost"; see struct lost_payload. Returns as ktrace_event_type_parse().
 */
int ktrace_lost_type(struct ktrace_event_type **out)
{
	char desc[256];
	int len = snprintf(desc, sizeof(desc), "ktrace:lost{enum<u32>(");
	__u32 i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		len += snprintf(desc + len, sizeof(desc) - (size_t)len, "%s%s=%u", i ? "," : "",
				names[i], i);
	snprintf(desc + len, sizeof(desc) - (size_t)len, ") reason;u64 count;}");
	return ktrace_event_type_parse(desc, out);
}
