// SPDX-License-Identifier: GPL-2.0
/* query_limits.c - options that bound statements of SQL */
#include "query_limits.h"

#include "base/decimal.h"
#include "when.h"

static const char *set_time(void *to, const char *text)
{
	return when_parse_wait(text, &((struct query_limits *)to)->time_ms) ? NULL :
	       "--time-limit: " NO_WAIT("1ms");
}

static const char *set_memory(void *to, const char *text)
{
	struct query_limits *limits = to;

	return decimal_size(text, &limits->memory) && limits->memory >= 1 << 20 ? NULL :
	       "--memory: not a size such as 100M, at least 1M";
}

const struct option_row query_limits_options[] = {
	{ .name = "time-limit", .value = "TIME", .set = set_time,
	  .help = "end a statement of SQL after TIME, such as 5 or 500ms" },
	{ .name = "memory", .value = "SIZE", .set = set_memory,
	  .help = "let SQLite use at most SIZE bytes, such as 100M" },
	{ .help = NULL },
};
