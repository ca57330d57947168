/* SPDX-License-Identifier: LGPL-2.1 */
/* race_checker.h - memory in which helgrind and DRD look for no races */
#ifndef KTRACE_WRITER_RACE_CHECKER_H
#define KTRACE_WRITER_RACE_CHECKER_H

#include <stddef.h>

void race_checker_ignore(const void *addr, size_t size);

#endif
