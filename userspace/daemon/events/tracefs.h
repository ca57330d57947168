/* SPDX-License-Identifier: GPL-2.0 */
/* tracefs.h - files of tracefs: the kernel's events, and dynamic probes */
#ifndef KTRACED_EVENTS_TRACEFS_H
#define KTRACED_EVENTS_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>

/** tracefs_dir - where tracefs is mounted, NULL = not mounted, or not accessible */
const char *tracefs_dir(void);

/**
 * tracefs_read - the text of a file
 * @file:	path below tracefs
 *
 * Return: the text, to be freed; NULL if it cannot be read.
 */
char *tracefs_read(const char *file);

/** tracefs_append - write one line to a file: 0 or -errno */
int tracefs_append(const char *file, const char *line);

#endif
