// SPDX-License-Identifier: GPL-2.0
/* again.c - send a chunk with an event, then an empty one, then, without ktraced, one more event */
#include <stdlib.h>
#include <ktrace/shark.h>

static int send_again(int n, unsigned int events)
{
	if (FTrace_actual_chunk_select(n) || (events && FTrace_enable()))
		return 1;
	for (unsigned int i = 0; i < events; i++)
		TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, i);
	return FTrace_disable() || FTrace_send_chunk(n, 0, FTRACE_CHUNK_FLAG_FREE);
}

int main(void)
{
	int n = FTrace_chunk_create(1024, 0, FTRACE_CHUNK_FLAG_FREE);

	if (FTrace_init_disk_writer("trace", 0, NULL, NULL))
		return 2;
	if (send_again(n, 1) || send_again(n, 0))
		return 1;
	unsetenv("KTRACE_SESSION");
	return send_again(n, 1);
}
