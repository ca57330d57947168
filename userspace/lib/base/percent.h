/* SPDX-License-Identifier: LGPL-2.1 */
/* percent.h - values with some bytes written as %XX */
#ifndef KTRACE_BASE_PERCENT_H
#define KTRACE_BASE_PERCENT_H

#include <stdbool.h>

/* Decodes %XX in place. Returns false at a decoded NUL, where the value ends. */
bool percent_decode(char *value);

#endif
