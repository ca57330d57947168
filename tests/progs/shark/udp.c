// SPDX-License-Identifier: GPL-2.0
/*
 * udp.c - send three chunks as packets
 *
 *   shark_udp TARGET EVENTS	as many events in the first, none in the second, one in the last
 */
#include <stdlib.h>
#include <ktrace/shark.h>

static int send_some(unsigned int nr)
{
	int n = FTrace_chunk_create(16 * (int)(nr + 1), 0, FTRACE_CHUNK_FLAG_FREE);

	if (FTrace_actual_chunk_select(n) || FTrace_enable())
		return 1;
	for (unsigned int i = 0; i < nr; i++)
		TRACER_LOGEVENT(FTrace_EVT_user_event_0, (__u16)i, i);
	return FTrace_send_chunk(n, 0, 0);
}

int main(int argc, char **argv)
{
	if (argc != 3 || FTrace_OSD_init_udp(1, ":0", argv[1]))
		return 2;
	return send_some((unsigned int)atoi(argv[2])) || send_some(0) || send_some(1);
}
