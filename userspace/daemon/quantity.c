// SPDX-License-Identifier: GPL-2.0
/* quantity.c - counts, sizes and times, as options say them */
#include "quantity.h"

#include <string.h>
#include <ktrace/when.h>

#include "base/decimal.h"

bool parse_count(const char *text, __u64 *value)
{
	return !text[strspn(text, "0123456789")] && decimal_take(text, 1, value);
}

/* Bytes, without a unit, have no fraction. Less than a byte, which would come to 0, is no size. */
bool parse_size(const char *text, __u64 *value)
{
	static const struct decimal_unit units[] = {
		{ "K", 1ull << 10 }, { "M", 1ull << 20 }, { "G", 1ull << 30 },
		{ "k", 1ull << 10 }, { "m", 1ull << 20 }, { "g", 1ull << 30 },
	};

	return parse_count(text, value) ||
	       (decimal_parse(text, units, sizeof(units) / sizeof(units[0]), value) &&
		(*value || !text[strcspn(text, "123456789")]));
}

bool parse_time(const char *text, __u64 *ns)
{
	struct ktrace_when when;

	if (!ktrace_when_parse(text, &when) || !when.is_relative)
		return false;
	*ns = when.ns;
	return when.ns;
}
