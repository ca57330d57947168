/* SPDX-License-Identifier: GPL-2.0 */
/* quantity.h - counts, sizes and times, as options say them */
#ifndef KTRACED_BASE_QUANTITY_H
#define KTRACED_BASE_QUANTITY_H

#include <stdbool.h>
#include <linux/types.h>

/* Each: false: @text is no such thing. */
bool parse_count(const char *text, __u64 *value);
/* Bytes: 512, 512K, 1.5M, 1G */
bool parse_size(const char *text, __u64 *value);
/* 100ms, 2s, 1m; more than nothing */
bool parse_time(const char *text, __u64 *ns);

#endif
