// SPDX-License-Identifier: GPL-2.0
/*
 * shark.c - events of S.Ha.R.K.: their 16 bytes, and the meaning of their parameters
 *
 *   u16 code, u16 par1, u32 high half of the stamp, u32 low half, u32 par2
 *
 * Little endian on any machine. The names of codes are in the description of event log:event, which
 * every such tracefile contains.
 */
#include "shark.h"

#include <stddef.h>
#include <string.h>
#include <linux/ktrace_events.h>

static __u32 get_le(const unsigned char *at, int bytes)
{
	__u32 v = 0;

	while (bytes--)
		v = v << 8 | at[bytes];
	return v;
}

static void put_le(unsigned char *at, int bytes, __u32 v)
{
	for (int i = 0; i < bytes; i++, v >>= 8)
		at[i] = (unsigned char)v;
}

void shark_get(const unsigned char slot[SHARK_SLOT], struct shark_event *e)
{
	e->code = (__u16)get_le(slot, 2);
	e->par1 = (__u16)get_le(slot + 2, 2);
	e->tsc = (__u64)get_le(slot + 4, 4) << 32 | get_le(slot + 8, 4);
	e->par2 = get_le(slot + 12, 4);
}

void shark_put(unsigned char slot[SHARK_SLOT], const struct shark_event *e)
{
	put_le(slot, 2, e->code);
	put_le(slot + 2, 2, e->par1);
	put_le(slot + 4, 4, (__u32)(e->tsc >> 32));
	put_le(slot + 8, 4, (__u32)e->tsc);
	put_le(slot + 12, 4, e->par2);
}

bool shark_event_of(const struct ktrace_trace_event *event, struct shark_event *e)
{
	struct ktrace_ev_logevent payload;

	if (!event->type || strcmp(event->type->full_name, SHARK_EVENT) ||
	    event->len < sizeof(payload) ||
	    event->flags & (KTRACE_EVENT_NO_START | KTRACE_EVENT_INCOMPLETE))
		return false;
	memcpy(&payload, event->payload, sizeof(payload));
	*e = (struct shark_event){
		.tsc = event->raw, .code = payload.type, .par1 = payload.par1, .par2 = payload.par2,
	};
	return true;
}

__u32 shark_ticks(const struct shark_event *e)
{
	const unsigned int code = shark_code(e);

	return code == FTrace_EVT_trace_start || code == FTrace_EVT_cycles_per_msec ? e->par2 : 0;
}

static const struct shark_params filter = { 0, "suppressed", NULL };

/* Parameters of other codes have no names. */
static const struct shark_params params[] = {
	{ FTrace_EVT_cycles_per_msec, NULL, "ticks_per_ms" },
	{ FTrace_EVT_trace_start, "context", "ticks_per_ms" },
	{ FTrace_EVT_id, "context", "pid" },
	{ FTrace_EVT_ipoint, "number", NULL },
	{ FTrace_EVT_task_create, "context", "pid" },
	{ FTrace_EVT_task_activate, "context", NULL },
	{ FTrace_EVT_task_end, "context", "pid" },
	{ FTrace_EVT_task_end_cycle, "context", "level" },
	{ FTrace_EVT_task_schedule, "shadow", "context" },
	{ FTrace_EVT_task_timer, "context", "level" },
	{ FTrace_EVT_task_deadline_miss, "context", NULL },
	{ FTrace_EVT_task_wcet_violation, "context", NULL },
	{ FTrace_EVT_interrupt_start, "interrupt", NULL },
	{ FTrace_EVT_interrupt_end, "interrupt", NULL },
	{ FTrace_EVT_context_switch, "context", NULL },
	{ FTrace_EVT_inheritance, "shadow", "context" },
	{ FTrace_EVT_set_mutex_lock, "context", "mutex" },
	{ FTrace_EVT_set_mutex_unlock, "context", "mutex" },
	{ FTrace_EVT_set_mutex_wait, "context", "mutex" },
	{ FTrace_EVT_set_mutex_post, "context", "mutex" },
	{ FTrace_EVT_server_create, NULL, "server" },
	{ FTrace_EVT_server_replenish, NULL, "server" },
	{ FTrace_EVT_server_exhaust, NULL, "server" },
	{ FTrace_EVT_server_reclaiming, NULL, "server" },
	{ FTrace_EVT_server_remove, NULL, "server" },
	{ FTrace_EVT_server_active, NULL, "server" },
	{ FTrace_EVT_server_using_rec, "reclaiming", "server" },
	{ FTrace_EVT_timer_wakeup_end, "context", NULL },
};

const struct shark_params *shark_params(unsigned int code)
{
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		if (params[i].code == code)
			return &params[i];
	return code >= FTrace_filter_trace_Events && code <= FTrace_filter_timer ? &filter : NULL;
}
