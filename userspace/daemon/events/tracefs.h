/* SPDX-License-Identifier: GPL-2.0 */
/* tracefs.h - files of tracefs: what events the kernel has, and dynamic probes */
#ifndef KTRACED_EVENTS_TRACEFS_H
#define KTRACED_EVENTS_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>

/** tracefs_dir - where it is mounted, NULL = it is not, or we may not look */
const char *tracefs_dir(void);

/**
 * tracefs_read - the text of a file
 * @file:	path below tracefs
 *
 * Return: the text, to be freed, NULL = it cannot be read.
 */
char *tracefs_read(const char *file);

/** tracefs_append - write one line to a file: 0 or -errno */
int tracefs_append(const char *file, const char *line);

#endif
