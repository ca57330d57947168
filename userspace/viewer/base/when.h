/* SPDX-License-Identifier: GPL-2.0 */
/* when.h - times as users write and read them */
#ifndef VIEWER_BASE_WHEN_H
#define VIEWER_BASE_WHEN_H

#include <ktrace/decode.h>
#include <stdbool.h>
#include <linux/types.h>
#include <ktrace/when.h>

#include "base/option_table.h"

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

/* The options --since and --until; each refers to a struct when. */
extern const struct option_row since_options[];
extern const struct option_row until_options[];
/* --at, a point in time, in place of --until */
extern const struct option_row at_options[];

/* Error messages for text that is not a time, and for one that when_parse_wait() refuses */
#define NO_TIME "not a time such as 1.5, 20ms or 2026-01-31T12:00"
#define NO_WAIT(least) "not a time such as 5 or 500ms, from " least " to 1h"

/* Returns where the command line's --since and --until are, NULL = not given. */
void when_given(struct when **since, struct when **until);
/* Like ktrace_when_parse(); keeps a pointer to @text. */
bool when_parse(const char *text, struct when *w);
/*
 * Returns what is wrong with a window, as far as that is known without a trace; NULL = nothing.
 * Valid until the next call.
 */
const char *when_wrong(const struct when *since, const struct when *until);
/*
 * when_window() returns the window in a trace that begins at @start: @from and @to, ns since the
 * epoch; without an end @to is ~0. when_complain() reports a window that ends before it begins, or
 * is outside the trace.
 */
void when_window(const struct when *since, const struct when *until, __u64 start, __u64 *from,
		 __u64 *to);
void when_complain(const struct when *since, const struct when *until, __u64 start, __u64 end);
/*
 * Parses a waiting time from 1 ms to 1 h: a number with a unit; without one, seconds. Returns false
 * for anything else.
 */
bool when_parse_wait(const char *text, __u64 *ms);

/* Prints seconds with nine decimals, at least @width characters. */
void out_seconds(struct ktrace_out *out, __u64 ns, int width);
/* Prints local date and time with nine decimals. */
void out_date(struct ktrace_out *out, __u64 ns);

/* struct window - from @start up to @end, @end not included; ~0 = no end */
struct window {
	__u64 start;
	__u64 end;
	bool is_set;
};

/*
 * Parses a window; either side may be left out. Returns false for other text, or an end before the
 * start.
 */
bool window_parse(const char *text, struct window *w);

/* Returns false if @text is not all decimal digits, or the number is below @min or above @max. */
bool number_parse(const char *text, __u64 min, __u64 max, __u64 *value);

#endif
