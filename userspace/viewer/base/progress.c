// SPDX-License-Identifier: GPL-2.0
/*
 * progress.c - shows the progress of long work on a terminal
 *
 * One line on standard error, rewritten at most five times a second and first shown after half a
 * second: shorter work shows nothing. ktrace --progress sets KTRACE_PROGRESS. "never" turns the
 * line off; "always" shows it from the beginning, wherever standard error goes.
 */
#include "progress.h"


#include "base/clock.h"
#include "viewer.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLS 4096u		/* calls between two looks at the clock */
#define FIRST_MS 500u
#define AGAIN_MS 200u
#define WIDTH 30

/* struct work - the work in progress; @span is 0 when nothing is shown */
static struct work {
	__u64 begin, span;
	__s64 begin_ms, next_ms;
	__u64 calls;
	bool is_bytes;
} work;

static volatile sig_atomic_t is_shown;	/* also read by the signal handler */

static bool is_wanted(bool *is_always)
{
	const char *when = getenv("KTRACE_PROGRESS"), *term = getenv("TERM");

	*is_always = when && !strcmp(when, "always");
	if (*is_always || (when && !strcmp(when, "never")))
		return *is_always;
	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

static void begin(__u64 from, __u64 until, bool is_bytes)
{
	bool is_always;

	progress_hide();
	work = (struct work){ .begin = from, .is_bytes = is_bytes };
	if (until <= from || !is_wanted(&is_always))
		return;
	work.span = until - from;
	work.begin_ms = now_ms();
	work.next_ms = work.begin_ms + (is_always ? 0 : FIRST_MS);
}

void progress_begin(__u64 from, __u64 until)
{
	begin(from, until, false);
}

void progress_begin_bytes(__u64 size)
{
	begin(0, size, true);
}

/* Prints "123", "12.3k", "4.56M". */
static void put_amount(double n)
{
	static const char units[] = " kMGT";
	int unit = 0;

	for (; n >= 1000 && units[unit + 1]; unit++)
		n /= 1000;
	if (!unit)
		fprintf(stderr, "%.0f", n);
	else
		fprintf(stderr, "%.*f%c", n < 10 ? 2 : n < 100 ? 1 : 0, n, units[unit]);
}

static void put_remaining(unsigned long long seconds)
{
	if (seconds >= 3600)
		fprintf(stderr, ", %llu:%02llu:%02llu left", seconds / 3600, seconds / 60 % 60,
			seconds % 60);
	else
		fprintf(stderr, ", %llu:%02llu left", seconds / 60, seconds % 60);
}

static void show(__u64 done, __s64 now)
{
	static const char bar[] = "##############################";
	const double part = (double)done / (double)work.span;
	const double seconds = (double)(now - work.begin_ms) / 1000;
	const double amount = (double)(work.is_bytes ? done : work.calls);

	/* Lets the signal handler clear the line. */
	output_watch(NULL);
	is_shown = true;
	fprintf(stderr, "\r%3u%% [%-*.*s] ", (unsigned int)(part * 100), WIDTH,
		(int)(part * WIDTH), bar);
	put_amount(amount);
	fputs(work.is_bytes ? "B" : " events", stderr);
	if (seconds > 0) {
		fputs(", ", stderr);
		put_amount(amount / seconds);
		fputs(work.is_bytes ? "B/s" : "/s", stderr);
	}
	if (seconds > 0 && done)
		put_remaining((unsigned long long)(seconds * (1 - part) / part + 0.5));
	fputs("\033[K", stderr);
	fflush(stderr);
}

void progress_add(__u64 at, __u64 events)
{
	const __u64 before = work.calls;
	__u64 done;
	__s64 now;

	work.calls += events;
	if (!work.span || (before && before / CALLS == work.calls / CALLS))
		return;
	now = now_ms();
	if (now < work.next_ms)
		return;
	work.next_ms = now + AGAIN_MS;
	done = at > work.begin ? at - work.begin : 0;
	show(done < work.span ? done : work.span, now);
}

void progress_at(__u64 at)
{
	progress_add(at, 1);
}

void progress_hide(void)
{
	static const char text[] = "\r\033[K";
	const bool was_shown = is_shown;

	is_shown = false;
	/* Nothing helps if standard error itself fails. */
	if (was_shown && write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

void progress_end(void)
{
	progress_hide();
	work.span = 0;
}
