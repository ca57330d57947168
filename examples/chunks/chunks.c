// SPDX-License-Identifier: GPL-2.0
/*
 * chunks.c - the example of the S.Ha.R.K. manual: three chunks, one behind the other
 *
 *   chunks [NAME]
 *
 *   a (goes round) -- next_chunk --> b (when it is full: next one) --> c (goes round)
 *
 * While the timer's events are suppressed nothing of it is stored. At the end a and b are
 * written to 0NAME and 1NAME (trace). To look at them:
 *
 *   ktrace import --from shark -o trace.bin 0trace 1trace
 *   ktrace list trace.bin
 */
#include <stdio.h>
#include <unistd.h>
#include <ktrace/shark.h>

#define SIZE (1 << 16)
#define CONTEXT 1	/* of the one task there is */

/* A timer that goes off, as the tracer sees it. */
static void timer(void)
{
	TRACER_LOGEVENT(FTrace_EVT_timer_wakeup_start, 0, 0);
	TRACER_LOGEVENT(FTrace_EVT_timer_wakeup_end, CONTEXT, 0);
}

static void start(void)
{
	TRACER_LOGEVENT(FTrace_EVT_trace_start, CONTEXT, FTrace_clk_per_msec());
	TRACER_LOGEVENT(FTrace_EVT_id, CONTEXT, (__u32)getpid());
}

int main(int argc, char **argv)
{
	const FTrace_flags cyc = FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC;
	int a = FTrace_chunk_create(SIZE, 0, cyc);
	int b = FTrace_chunk_create(SIZE, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN);
	int c = FTrace_chunk_create(SIZE, 0, cyc);

	if (FTrace_init_disk_writer(argc > 1 ? argv[1] : "trace", 0, NULL, NULL) ||
	    FTrace_actual_chunk_select(a) || FTrace_chunk_link(a, b) ||
	    FTrace_chunk_link(b, c) || FTrace_enable()) {
		fprintf(stderr, "no chunks\n");
		return 1;
	}
	FTrace_set_filter(FTrace_filter_timer, 1);
	start();
	timer();
	FTrace_set_filter(FTrace_filter_timer, 0);
	TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
	TRACER_LOGEVENT(FTrace_EVT_ipoint, 6000, 0);
	TRACER_LOGEVENT(FTrace_EVT_trace_stop, 0, 0);
	FTrace_disable();
	timer();
	if (FTrace_send_chunk(a, 0, cyc) || FTrace_send_chunk(b, 0, cyc)) {
		fprintf(stderr, "cannot write\n");
		return 1;
	}
	return 0;
}
