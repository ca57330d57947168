// SPDX-License-Identifier: GPL-2.0
/*
 * chunk.c - TRACER_LOGEVENT() of a program that has a S.Ha.R.K. chunk in use
 *
 * The session that the program runs in does not want these events.
 */
#include "chunk.h"

#include <ktrace/shark.h>

enum { SIZE = 1 << 20, TYPE = 9, PAR1 = 7 };

EVENT_LOOPS(chunk, TRACER_LOGEVENT(TYPE, PAR1, (uint32_t)i));

bool chunk_begin(bool is_suppressed)
{
	static int chunk = -1;

	if (chunk < 0) {
		chunk = FTrace_chunk_create(SIZE, 0,
					    FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
		if (chunk < 0 || FTrace_actual_chunk_select(chunk))
			return false;
	}
	if (FTrace_enable())
		return false;
	FTrace_set_filter(FTrace_filter_user, is_suppressed);
	return true;
}

void chunk_end(void)
{
	FTrace_disable();
}
