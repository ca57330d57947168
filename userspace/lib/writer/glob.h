/* SPDX-License-Identifier: LGPL-2.1 */
/* glob.h - match an event's name against a session's filter */
#ifndef KTRACE_WRITER_GLOB_H
#define KTRACE_WRITER_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool glob_list_matches(const char *list, size_t size, const char *name, size_t len);

#endif
