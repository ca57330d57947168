/* SPDX-License-Identifier: LGPL-2.1 */
/* percent.h - values in which some bytes are written %XX */
#ifndef KTRACE_BASE_PERCENT_H
#define KTRACE_BASE_PERCENT_H

#include <stdbool.h>

/* Decodes %XX in place. False: it decodes to a NUL, where the value ends. */
bool percent_decode(char *value);

#endif
