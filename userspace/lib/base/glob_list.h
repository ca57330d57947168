/* SPDX-License-Identifier: LGPL-2.1 */
/* glob_list.h - whether the name of an event matches a session's filter */
#ifndef KTRACE_BASE_GLOB_LIST_H
#define KTRACE_BASE_GLOB_LIST_H

#include <stdbool.h>
#include <stddef.h>

bool glob_list_matches(const char *list, size_t size, const char *name, size_t len);

#endif
