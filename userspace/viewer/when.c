// SPDX-License-Identifier: GPL-2.0
/* when.c - times as people write and read them */
#include "when.h"

#include <stdio.h>
#include <time.h>

#define NS 1000000000ull

bool when_parse(const char *text, struct when *w)
{
	w->is_set = true;
	return ktrace_when_parse(text, &w->at);
}

bool when_parse_wait(const char *text, __u64 *ms)
{
	struct ktrace_when w;

	if (!ktrace_when_parse(text, &w) || !w.is_relative)
		return false;
	*ms = w.ns / (NS / 1000);
	return *ms && w.ns <= 3600 * NS;
}

__u64 when_absolute(const struct when *w, __u64 start)
{
	return ktrace_when_absolute(&w->at, start);
}

void out_seconds(struct ktrace_out *out, __u64 ns, int width)
{
	static _Thread_local char text[32];	/* up to the first of nine digits, as it was last */
	static _Thread_local __u64 last = ~0ull;
	static _Thread_local int last_width, size;
	__u64 tenths = ns / (NS / 10);

	if (tenths != last || width != last_width) {
		size = snprintf(text, sizeof(text), "%*llu.%llu", width > 10 ? width - 10 : 0,
				tenths / 10, tenths % 10);
		last = tenths;
		last_width = width;
	}
	ktrace_out_bytes(out, text, (size_t)size);
	ktrace_out_dec(out, ns % (NS / 10), 8);
}

void out_date(struct ktrace_out *out, __u64 ns)
{
	static _Thread_local char text[32];
	static _Thread_local time_t last = -1;
	time_t t = (time_t)(ns / NS);
	struct tm tm;

	if (t != last && localtime_r(&t, &tm)) {
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
		last = t;
	}
	ktrace_out_str(out, text);
	ktrace_out_char(out, '.');
	ktrace_out_dec(out, ns % NS, 9);
}
