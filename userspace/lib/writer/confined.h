/* SPDX-License-Identifier: LGPL-2.1 */
/* confined.h - whether the program may have taken system calls from itself */
#ifndef KTRACE_WRITER_CONFINED_H
#define KTRACE_WRITER_CONFINED_H

#include <stdbool.h>

bool is_confined(void);

#endif
