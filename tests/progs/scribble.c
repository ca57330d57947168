// SPDX-License-Identifier: GPL-2.0
/*
 * scribble.c - a hostile program of a session
 *
 *   scribble SEED MS
 *
 * Attaches like any other through libktrace, then writes random bytes over everything
 * of the session that it can write to, for MS milliseconds, and mixes in real events.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(scribble, item, ktrace_u64(seq));

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The writable mapping of the session: registry and rings. */
static size_t find(char **base)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uintptr_t from, to;
	char line[512], rights[8];
	size_t size = 0;

	while (f && !size && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &from, &to, rights) != 3 ||
		    rights[1] != 'w' || !strstr(line, "/ktrace"))
			continue;
		*base = (char *)from;
		size = to - from;
	}
	if (f)
		fclose(f);
	return size;
}

int main(int argc, char **argv)
{
	uint64_t end, seq = 0;
	size_t size;
	char *base;

	if (argc != 3)
		return 2;
	state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
	end = now_ms() + strtoull(argv[2], NULL, 10);
	size = find(&base);
	if (!size) {
		puts("no session");
		return 1;
	}
	while (now_ms() < end) {
		for (int i = 0; i < 64; i++) {
			uint64_t value = next_random() >> (next_random() & 63);
			size_t at = (size_t)(next_random() % size) & ~(size_t)7;

			/* Half of them hit the words at the beginning of a page. */
			if (next_random() & 1)
				at = (at & ~(size_t)4095) | (at & 127);
			memcpy(base + at, &value, sizeof(value));
		}
		ktrace(scribble, item, seq++);
	}
	puts("scribbled");
	return 0;
}
