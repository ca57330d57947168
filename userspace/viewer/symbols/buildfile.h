/* SPDX-License-Identifier: GPL-2.0 */
/* buildfile.h - opens files that the trace names by path or build id */
#ifndef VIEWER_SYMBOLS_BUILDFILE_H
#define VIEWER_SYMBOLS_BUILDFILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens a regular file; returns -1 for anything else: opening a device can have side effects,
 * opening a FIFO can block.
 */
int buildfile_regular(const char *path);
/*
 * Formats a path and opens it; -1 if the file is not regular or does not have build id @build,
 * which may be NULL. Call elf_version() before.
 */
__attribute__((format(printf, 2, 3)))
int buildfile_open(const char *build, const char *format, ...);
/* Opens DIR/.build-id/ab/cdefEND. */
int buildfile_in(const char *dir, const char *build, const char *end);
/* True if @hex is hexadecimal digits, so not a path. */
bool buildfile_is_id(const char *hex);

#endif
