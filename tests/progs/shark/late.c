// SPDX-License-Identifier: GPL-2.0
/* late.c - says "ready", then has only events of TRACER_LOGEVENT() until it is killed */
#include <ktrace/shark.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	puts("ready");
	fflush(stdout);
	for (unsigned int i = 0; ; i++) {
		TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, i);
		usleep(500);
	}
}
