// SPDX-License-Identifier: LGPL-2.1
/* when.c - parses times as people write them */
#include <ktrace/when.h>

#include <string.h>
#include <time.h>
#include "base/decimal.h"

#define NS 1000000000ull

static const struct decimal_unit units[] = {
	{ "", NS }, { "s", NS }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	{ "m", 60 * NS }, { "h", 3600 * NS },
};

static bool parse_date(const char *text, struct ktrace_when *w)
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
		at = decimal_take(seconds, NS, &fraction);
		if (!at || fraction >= 61 * NS)
			return false;
	}
	t = *at == 'Z' ? timegm(&tm) : mktime(&tm);
	at += *at == 'Z';
	return !*at && t >= 0 && !__builtin_mul_overflow((__u64)t, NS, &w->ns) &&
	       !__builtin_add_overflow(w->ns, fraction, &w->ns);
}

bool ktrace_when_parse(const char *text, struct ktrace_when *when)
{
	const char *end;

	when->is_relative = false;
	if (*text == '@') {
		end = decimal_take(text + 1, NS, &when->ns);
		return end && !*end;
	}
	if (strchr(text, '-'))
		return parse_date(text, when);
	when->is_relative = true;
	return decimal_parse(text, units, sizeof(units) / sizeof(units[0]), &when->ns);
}

__u64 ktrace_when_absolute(const struct ktrace_when *when, __u64 start)
{
	__u64 ns = when->ns;

	if (when->is_relative && __builtin_add_overflow(ns, start, &ns))
		return ~0ull;
	return ns;
}
