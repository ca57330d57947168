// SPDX-License-Identifier: GPL-2.0
/* tells.c - a shared library that tells an event, which is the last thing its function does */
#include <trace.h>

void tell_in_library(trace_event_id_t id);

void tell_in_library(trace_event_id_t id)
{
	posix_trace_event(id, "library", 7);
}
