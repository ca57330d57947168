// SPDX-License-Identifier: GPL-2.0
/*
 * stack.c - how much stack an event of S.Ha.R.K.'s tracer takes: into a chunk, and into a session
 *
 * Status 1: it takes more than 1 KiB; see tests/progs/painted.h.
 */
#include <ktrace/shark.h>

#include "../painted.h"

static void put(void)
{
	TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
}

static void put_critical(void)
{
	TRACER_LOGCRITICAL(FTrace_EVT_user_event_0, 1, 2);
}

static void put_fast(void)
{
	FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1);
}

int main(void)
{
	int chunk = FTrace_chunk_create(65536, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);

	if (chunk < 0 || FTrace_actual_chunk_select(chunk) || FTrace_enable())
		return 2;
	painted_show("event", put, STACK_MAX);
	painted_show("critical", put_critical, STACK_MAX);
	painted_show("fast", put_fast, STACK_MAX);
	return painted_status;
}
