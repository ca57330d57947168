/* SPDX-License-Identifier: LGPL-2.1 */
/* decimal.h - amounts as people write them: 512, 1.5M, 20ms; exact, no floating point */
#ifndef KTRACE_BASE_DECIMAL_H
#define KTRACE_BASE_DECIMAL_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* struct decimal_unit - a suffix of numbers, and the factor it stands for */
struct decimal_unit {
	const char *suffix;
	__u64 factor;
};

/*
 * Reads digits, with or without a fraction; the value is that times @factor, rounded down.
 * Return: the end of the digits; NULL = there are none, or the value is too large.
 */
static inline const char *decimal_take(const char *s, __u64 factor, __u64 *value)
{
	const char *begin = s, *end;
	__u64 whole = 0, fraction = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (__u64)(*s - '0'), &whole))
			return NULL;
	if (s == begin || __builtin_mul_overflow(whole, factor, value))
		return NULL;
	if (*s != '.')
		return s;
	s++;
	end = s + strspn(s, "0123456789");
	/* Go from the last digit to the first: then rounding never makes a difference. */
	for (const char *at = end; at > s;)
		fraction = (fraction + factor * (__u64)(*--at - '0')) / 10;
	return __builtin_add_overflow(*value, fraction, value) ? NULL : end;
}

/* Parses a number with one of @nr units. Returns false if it is something else, or too large. */
static inline bool decimal_parse(const char *text, const struct decimal_unit *units, size_t nr,
				 __u64 *value)
{
	const char *suffix = text + strspn(text, "0123456789.");

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(suffix, units[i].suffix))
			return decimal_take(text, units[i].factor, value) == suffix;
	return false;
}

static inline bool decimal_count(const char *text, __u64 *value)
{
	return !text[strspn(text, "0123456789")] && decimal_take(text, 1, value);
}

/*
 * Parses a size in bytes. Without a unit it has no fraction. Refuses sizes above 0 but below a
 * byte, which would become 0.
 */
static inline bool decimal_size(const char *text, __u64 *value)
{
	static const struct decimal_unit units[] = {
		{ "K", 1ull << 10 }, { "M", 1ull << 20 }, { "G", 1ull << 30 },
		{ "k", 1ull << 10 }, { "m", 1ull << 20 }, { "g", 1ull << 30 },
	};

	return decimal_count(text, value) ||
	       (decimal_parse(text, units, sizeof(units) / sizeof(units[0]), value) &&
		(*value || !text[strcspn(text, "123456789")]));
}

#endif
