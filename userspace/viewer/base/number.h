/* SPDX-License-Identifier: GPL-2.0 */
/* number.h - a whole number, as people write it */
#ifndef VIEWER_BASE_NUMBER_H
#define VIEWER_BASE_NUMBER_H

#include <linux/types.h>
#include <stdbool.h>

/* False: @text is more or less than decimal digits, or a number below @min or above @max. */
bool number_parse(const char *text, __u64 min, __u64 max, __u64 *value);

#endif
