// SPDX-License-Identifier: GPL-2.0
/* confined.c - events of S.Ha.R.K.'s tracer in threads of a program that most calls would kill */
#include <pthread.h>
#include <stdio.h>
#include <ktrace/shark.h>

#include "../filter.h"

static void *record(void *arg)
{
	for (unsigned int i = 0; i < 1000; i++)
		TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, i);
	return arg;
}

int main(void)
{
	int n = FTrace_chunk_create(1 << 20, 0, FTRACE_CHUNK_FLAG_FREE);

	if (n < 0 || FTrace_actual_chunk_select(n) || FTrace_enable() || install_filter())
		return 2;
	if (in_threads(2, record))
		return 2;
	record(NULL);
	printf("recorded\n");
	return 0;
}
