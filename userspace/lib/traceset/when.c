// SPDX-License-Identifier: LGPL-2.1
/* when.c - times as people write them; exact, no floating point */
#include <ktrace/when.h>

#include <stddef.h>
#include <string.h>
#include <time.h>

#define NS 1000000000ull

static const struct {
	const char *name;
	__u64 ns;
} units[] = {
	{ "", NS }, { "s", NS }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	{ "m", 60 * NS }, { "h", 3600 * NS },
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

static bool parse_relative(const char *text, struct ktrace_when *w)
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
		at = take_decimal(seconds, NS, &fraction);
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
		end = take_decimal(text + 1, NS, &when->ns);
		return end && !*end;
	}
	if (strchr(text, '-'))
		return parse_date(text, when);
	when->is_relative = true;
	return parse_relative(text, when);
}

__u64 ktrace_when_absolute(const struct ktrace_when *when, __u64 start)
{
	__u64 ns = when->ns;

	if (when->is_relative && __builtin_add_overflow(ns, start, &ns))
		return ~0ull;
	return ns;
}
