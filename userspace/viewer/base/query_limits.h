/* SPDX-License-Identifier: GPL-2.0 */
/* query_limits.h - options that bound statements of SQL: --time-limit, --memory */
#ifndef VIEWER_BASE_QUERY_LIMITS_H
#define VIEWER_BASE_QUERY_LIMITS_H

#include <linux/types.h>

#include "base/option_table.h"

/**
 * struct query_limits - of each statement
 * @time_ms:	it ends after this time, 0 = not given
 * @memory:	bytes that SQLite may use, 0 = not given
 */
struct query_limits {
	__u64 time_ms;
	__u64 memory;
};

/* The options; they refer to a struct query_limits. */
extern const struct option_row query_limits_options[];

#endif
