// SPDX-License-Identifier: GPL-2.0
/* quantity.c - counts, sizes and times as options write them */
#include "quantity.h"

#include <ktrace/when.h>

#include "base/decimal.h"

bool parse_count(const char *text, __u64 *value)
{
	return decimal_count(text, value);
}

bool parse_size(const char *text, __u64 *value)
{
	return decimal_size(text, value);
}

bool parse_time(const char *text, __u64 *ns)
{
	struct ktrace_when when;

	if (!ktrace_when_parse(text, &when) || !when.is_relative)
		return false;
	*ns = when.ns;
	return when.ns;
}
