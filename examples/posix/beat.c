// SPDX-License-Identifier: MIT
/*
 * beat.c - a program that can be traced by <trace.h>: see watch.c
 *
 *   beat [COUNT]
 *
 * For each line of its input it records COUNT events (5), which it numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <trace.h>

int main(int argc, char **argv)
{
	const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 5;
	trace_event_id_t beat;
	unsigned long nr = 0;
	char line[80];

	posix_trace_eventid_open("beat", &beat);
	while (fgets(line, sizeof(line), stdin)) {
		for (unsigned long i = 0; i < count; i++, nr++)
			posix_trace_event(beat, &nr, sizeof(nr));
		printf("%lu\n", nr);
		fflush(stdout);
	}
	return 0;
}
