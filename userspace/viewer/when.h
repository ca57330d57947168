/* SPDX-License-Identifier: GPL-2.0 */
/* when.h - times as people write and read them */
#ifndef VIEWER_WHEN_H
#define VIEWER_WHEN_H

#include <ktrace/decode.h>

/**
 * struct when - a point in time on the command line
 * @ns:		since the epoch, or since the start of the trace
 * @is_relative: the latter
 * @is_set:	the option was given
 */
struct when {
	__u64 ns;
	bool is_relative;
	bool is_set;
};

/* "12.5", "12.5s", "3ms", "200us", "7ns", "2026-01-31T12:00[:00[.5]][Z]", "@SECONDS" */
bool when_parse(const char *text, struct when *w);
/* ns since the epoch */
__u64 when_absolute(const struct when *w, __u64 start);

/* Seconds and nine digits, at least @width characters */
void out_seconds(struct ktrace_out *out, __u64 ns, int width);
/* Local date and time, nine digits */
void out_date(struct ktrace_out *out, __u64 ns);

#endif
