// SPDX-License-Identifier: GPL-2.0
/*
 * stack.c - how much stack posix_trace_event() takes: into one stream, and into three
 *
 * Status 1: it takes more than 1 KiB and 64 bytes; see tests/progs/painted.h.
 */
#include <trace.h>

#include "../painted.h"

static trace_event_id_t id;
static char data[300];

static void put_small(void)
{
	posix_trace_event(id, data, 8);
}

static void put_large(void)
{
	posix_trace_event(id, data, sizeof(data));
}

static int start_stream(void)
{
	trace_attr_t attr;
	trace_id_t trid;

	return posix_trace_attr_init(&attr) ||
	       posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP) ||
	       posix_trace_create(0, &attr, &trid) || posix_trace_start(trid);
}

int main(void)
{
	if (posix_trace_eventid_open("stack", &id) || start_stream())
		return 2;
	painted_show("small", put_small, STACK_MAX + 64 + ARCH_STACK_MORE);
	painted_show("large", put_large, STACK_MAX + 64 + ARCH_STACK_MORE);
	if (start_stream() || start_stream())
		return 2;
	painted_show("small into three", put_small, STACK_MAX + 64 + ARCH_STACK_MORE);
	painted_show("large into three", put_large, STACK_MAX + 64 + ARCH_STACK_MORE);
	return painted_status;
}
