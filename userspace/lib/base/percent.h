/* SPDX-License-Identifier: LGPL-2.1 */
/* percent.h - values in which some bytes are written %XX */
#ifndef KTRACE_BASE_PERCENT_H
#define KTRACE_BASE_PERCENT_H

#include <stdbool.h>

/* Undoes it in place. False: there is a NUL, where the value ends. */
bool percent_decode(char *value);

#endif
