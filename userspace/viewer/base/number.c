// SPDX-License-Identifier: GPL-2.0
/* number.c - a whole number, as people write it */
#include "number.h"

#include <errno.h>
#include <stdlib.h>

bool number_parse(const char *text, __u64 min, __u64 max, __u64 *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !*end && !errno && *value >= min && *value <= max;
}
