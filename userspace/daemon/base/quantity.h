/* SPDX-License-Identifier: GPL-2.0 */
/* quantity.h - counts, sizes and times as options write them */
#ifndef KTRACED_BASE_QUANTITY_H
#define KTRACED_BASE_QUANTITY_H

#include <stdbool.h>
#include <linux/types.h>

/* All return false if @text is malformed. */
bool parse_count(const char *text, __u64 *value);
/* Parses bytes: 512, 512K, 1.5M, 1G */
bool parse_size(const char *text, __u64 *value);
/* Parses a time above 0: 100ms, 2s, 1m */
bool parse_time(const char *text, __u64 *ns);

#endif
