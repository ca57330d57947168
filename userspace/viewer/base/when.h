/* SPDX-License-Identifier: GPL-2.0 */
/* when.h - times as people write and read them */
#ifndef VIEWER_BASE_WHEN_H
#define VIEWER_BASE_WHEN_H

#include <ktrace/decode.h>
#include <stdbool.h>
#include <linux/types.h>
#include <ktrace/when.h>

/**
 * struct when - a point in time on the command line
 * @at:		the point
 * @text:	as it was written
 * @is_set:	the option was given
 */
struct when {
	struct ktrace_when at;
	const char *text;
	bool is_set;
};

/* What is said of a word that is none, and of one that when_parse_wait() does not take */
#define NO_TIME "not a time such as 1.5, 20ms or 2026-01-31T12:00"
#define NO_WAIT(least) "not a time such as 5 or 500ms, from " least " to 1h"

/* As ktrace_when_parse(); keeps @text. */
bool when_parse(const char *text, struct when *w);
/*
 * What is wrong with a window, as far as that is known without a trace; NULL = nothing. Valid
 * until the next call.
 */
const char *when_wrong(const struct when *since, const struct when *until);
/*
 * The window in a trace that begins at @start: @from and @to, ns since the epoch; without an end
 * @to is ~0. when_complain() says so if it ends before it begins, or lies beside the trace.
 */
void when_window(const struct when *since, const struct when *until, __u64 start, __u64 *from,
		 __u64 *to);
void when_complain(const struct when *since, const struct when *until, __u64 start, __u64 end);
/*
 * How long to wait, a ms to an hour: a number with a unit, of seconds without one. False: it is
 * no such time.
 */
bool when_parse_wait(const char *text, __u64 *ms);

/* Seconds and nine digits, at least @width characters */
void out_seconds(struct ktrace_out *out, __u64 ns, int width);
/* Local date and time, nine digits */
void out_date(struct ktrace_out *out, __u64 ns);

/* struct window - from @start on, up to @end, @end itself not included; ~0 = there is no end */
struct window {
	__u64 start;
	__u64 end;
	bool is_set;
};

/* Either side may be left out. False: no window, or its end is before its start. */
bool window_parse(const char *text, struct window *w);

/* False: @text is more or less than decimal digits, or a number below @min or above @max. */
bool number_parse(const char *text, __u64 min, __u64 max, __u64 *value);

#endif
