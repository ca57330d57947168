/* SPDX-License-Identifier: GPL-2.0 */
/* clock_options.h - options of ktraced about clocks */
#ifndef KTRACED_CLOCKS_CLOCK_OPTIONS_H
#define KTRACED_CLOCKS_CLOCK_OPTIONS_H

#include "base/option_table.h"
#include "host_clocks.h"

/* Their table, for struct clock_options */
extern const struct option_row clock_options[];

/* True if one of them was given that applies only to a recording. */
bool clock_options_any(const struct clock_options *c);
/* Parses a time above 0: 100ms, 2s, 1m. */
bool option_time(const char *text, __u64 *ns);

#endif
