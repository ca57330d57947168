// SPDX-License-Identifier: GPL-2.0
/* when.c - times as users write and read them */
#include "when.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "viewer.h"

#define NS 1000000000ull

/* Where the values of --since and --until went, NULL = not given */
static struct when *given_since, *given_until;

void when_given(struct when **since, struct when **until)
{
	*since = given_since;
	*until = given_until;
}

bool when_parse(const char *text, struct when *w)
{
	w->is_set = true;
	w->text = text;
	return ktrace_when_parse(text, &w->at);
}

static const char *set_since(void *to, const char *value)
{
	given_since = to;
	return when_parse(value, to) ? NULL : "--since: " NO_TIME;
}

static const char *set_until(void *to, const char *value)
{
	given_until = to;
	return when_parse(value, to) ? NULL : "--until: " NO_TIME;
}

static const char *set_at(void *to, const char *value)
{
	return when_parse(value, to) ? NULL : "--at: " NO_TIME;
}

const struct option_row since_options[] = {
	{ .name = "since", .value = "TIME", .set = set_since,
	  .help = "from TIME on: seconds, 20ms, 5m since the first event,\n"
		  "@SECONDS since the epoch, or 2026-01-31T12:00:00.5" },
	{ .help = NULL },
};

const struct option_row until_options[] = {
	{ .name = "until", .value = "TIME", .set = set_until,
	  .help = "up to TIME, TIME itself not included" },
	{ .help = NULL },
};

const struct option_row at_options[] = {
	{ .name = "at", .value = "TIME", .set = set_at,
	  .help = "just before the first event at TIME or later (default:\n"
		  "the end)" },
	{ .help = NULL },
};

bool when_parse_wait(const char *text, __u64 *ms)
{
	struct ktrace_when w;

	if (!ktrace_when_parse(text, &w) || !w.is_relative)
		return false;
	*ms = w.ns / (NS / 1000);
	return *ms && w.ns <= 3600 * NS;
}

const char *when_wrong(const struct when *since, const struct when *until)
{
	static char message[256];

	if (!since->is_set || !until->is_set || until->at.ns >= since->at.ns ||
	    until->at.is_relative != since->at.is_relative)
		return NULL;
	snprintf(message, sizeof(message), "--until %.99s is before --since %.99s", until->text,
		 since->text);
	return message;
}

void when_window(const struct when *since, const struct when *until, __u64 start, __u64 *from,
		 __u64 *to)
{
	*from = since->is_set ? ktrace_when_absolute(&since->at, start) : start;
	*from = *from > start ? *from : start;
	*to = until->is_set ? ktrace_when_absolute(&until->at, start) : ~0ull;
}

void when_complain(const struct when *since, const struct when *until, __u64 start, __u64 end)
{
	__u64 from, to;

	when_window(since, until, start, &from, &to);
	if (since->is_set && from > start && to < from)
		complain_safely("ktrace: --until %.99s is before --since %.99s in this trace",
				until->text, since->text);
	else if (start <= end && from > end)
		complain_safely("ktrace: --since %.99s is after the end of this trace",
				since->text);
	else if (until->is_set && start <= end && to <= start)
		complain_safely("ktrace: %.99s is not after the start of this trace",
				until->text);
}

void out_seconds(struct ktrace_out *out, __u64 ns, int width)
{
	static _Thread_local char text[32];	/* cached text up to the first of nine digits */
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

/* A window START:END of numbers, as users write it */

/*
 * Parses a number, or takes @missing if there is none. Returns the end of it; NULL: it is too
 * large.
 */
static const char *parse_side(const char *text, __u64 missing, __u64 *value)
{
	char *end;

	*value = missing;
	if (*text < '0' || *text > '9')
		return text;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno ? NULL : end;
}

bool window_parse(const char *text, struct window *w)
{
	w->is_set = true;
	text = parse_side(text, 0, &w->start);
	if (!text || *text++ != ':')
		return false;
	text = parse_side(text, ~0ull, &w->end);
	return text && !*text && w->start <= w->end;
}

/* Parses a whole number, as users write it. */

bool number_parse(const char *text, __u64 min, __u64 max, __u64 *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !*end && !errno && *value >= min && *value <= max;
}
