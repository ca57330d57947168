/* SPDX-License-Identifier: LGPL-2.1 */
/* name_char.h - characters in names of events and fields, see <linux/ktrace_events.h> */
#ifndef KTRACE_DECODE_NAME_CHAR_H
#define KTRACE_DECODE_NAME_CHAR_H

#include <stdbool.h>

static inline bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-' || c == '+' || c == '|';
}

#endif
