// SPDX-License-Identifier: GPL-2.0
/*
 * progress.c - how far reading has got, for who waits at a terminal
 *
 * One line on standard error, rewritten five times a second at most, the first time after
 * half a second: what is done by then shows nothing.
 */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CALLS 4096u		/* between two looks at the clock */
#define FIRST_MS 500u
#define AGAIN_MS 200u
#define WIDTH 40

static __u64 begin, span, next_ms;
static unsigned int calls;
static bool is_on, is_shown;

static __u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__u64)t.tv_sec * 1000 + (__u64)t.tv_nsec / 1000000;
}

void progress_begin(__u64 from, __u64 until)
{
	const char *term = getenv("TERM");

	is_on = isatty(STDERR_FILENO) && until > from && term && strcmp(term, "dumb");
	begin = from;
	span = until - from;
	calls = 0;
	next_ms = is_on ? now_ms() + FIRST_MS : 0;
}

void progress_at(__u64 time)
{
	static const char bar[] = "########################################";
	unsigned int percent;
	__u64 done, now;

	if (!is_on || ++calls % CALLS)
		return;
	now = now_ms();
	if (now < next_ms)
		return;
	next_ms = now + AGAIN_MS;
	done = time > begin ? time - begin : 0;
	done = done < span ? done : span;
	percent = (unsigned int)((double)done * 100 / (double)span);
	fprintf(stderr, "\r%3u%% [%-*.*s]", percent, WIDTH, (int)percent * WIDTH / 100, bar);
	fflush(stderr);
	is_shown = true;
}

void progress_end(void)
{
	if (is_shown)
		fputs("\r\033[K", stderr);
	is_on = is_shown = false;
}
