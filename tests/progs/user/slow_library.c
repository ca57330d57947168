// SPDX-License-Identifier: GPL-2.0
/* slow_library.c - preloaded: a library that takes half a second to begin in the program SLOW */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __attribute__((constructor)) void begin(void)
{
	const char *slow = getenv("SLOW");

	if (slow && !strcmp(slow, program_invocation_short_name))
		usleep(500000);
}
