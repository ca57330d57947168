// SPDX-License-Identifier: GPL-2.0
/* when.c - times as people write and read them */
#include "when.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS 1000000000ull

static const struct {
	const char *name;
	__u64 ns;
} units[] = {
	{ "", NS }, { "s", NS }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
};

/*
 * Digits with or without a fraction, in units of @unit ns; exact, no floating point.
 * Returns where they end, NULL if there are none or they are too many.
 */
static const char *take_decimal(const char *s, __u64 unit, __u64 *ns)
{
	const char *begin = s;
	__u64 whole = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (__u64)(*s - '0'), &whole))
			return NULL;
	if (s == begin || __builtin_mul_overflow(whole, unit, ns))
		return NULL;
	if (*s != '.')
		return s;
	for (s++; *s >= '0' && *s <= '9'; s++) {
		unit /= 10;
		if (__builtin_add_overflow(*ns, unit * (__u64)(*s - '0'), ns))
			return NULL;
	}
	return s;
}

static bool parse_relative(const char *text, struct when *w)
{
	size_t digits = strspn(text, "0123456789."), i;
	const char *end;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text + digits, units[i].name))
			continue;
		end = take_decimal(text, units[i].ns, &w->ns);
		return end == text + digits;
	}
	return false;
}

static bool parse_date(const char *text, struct when *w)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *at = strptime(text, "%Y-%m-%d", &tm), *seconds;
	__u64 fraction = 0;
	time_t t;

	if (!at)
		return false;
	if (*at == 'T' || *at == ' ') {
		at = strptime(at + 1, "%H:%M", &tm);
		if (!at)
			return false;
	}
	if (*at == ':') {
		seconds = at + 1;
		at = take_decimal(seconds, NS, &fraction);
		if (!at || fraction >= 61 * NS)
			return false;
	}
	t = *at == 'Z' ? timegm(&tm) : mktime(&tm);
	at += *at == 'Z';
	return !*at && t >= 0 && !__builtin_mul_overflow((__u64)t, NS, &w->ns) &&
	       !__builtin_add_overflow(w->ns, fraction, &w->ns);
}

bool when_parse(const char *text, struct when *w)
{
	const char *end;

	w->is_set = true;
	w->is_relative = false;
	if (*text == '@') {
		end = take_decimal(text + 1, NS, &w->ns);
		return end && !*end;
	}
	if (strchr(text, '-'))
		return parse_date(text, w);
	w->is_relative = true;
	return parse_relative(text, w);
}

__u64 when_absolute(const struct when *w, __u64 start)
{
	__u64 ns = w->ns;

	if (w->is_relative && __builtin_add_overflow(ns, start, &ns))
		return ~0ull;
	return ns;
}

void out_seconds(struct ktrace_out *out, __u64 ns, int width)
{
	static char text[32];	/* the seconds and the point, as they were last */
	static __u64 last = ~0ull;
	static int last_width, size;
	__u64 seconds = ns / NS;

	if (seconds != last || width != last_width) {
		size = snprintf(text, sizeof(text), "%*llu.", width > 10 ? width - 10 : 0, seconds);
		last = seconds;
		last_width = width;
	}
	ktrace_out_bytes(out, text, (size_t)size);
	ktrace_out_dec(out, ns % NS, 9);
}

void out_date(struct ktrace_out *out, __u64 ns)
{
	static char text[32];
	static time_t last = -1;
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
