/* SPDX-License-Identifier: GPL-2.0 */
/* buildfile.h - files of which the trace names the path or the build id */
#ifndef VIEWER_SYMBOLS_BUILDFILE_H
#define VIEWER_SYMBOLS_BUILDFILE_H

#include <stdbool.h>
#include <stddef.h>

/* A regular file, or -1. To open a device may do something, to open a FIFO may wait. */
int buildfile_regular(const char *path);
/*
 * Opens a file whose name is put together; -1 if it is not regular or not of @build, which may
 * be NULL. elf_version() was called.
 */
__attribute__((format(printf, 2, 3)))
int buildfile_open(const char *build, const char *format, ...);
/* DIR/.build-id/ab/cdefEND */
int buildfile_in(const char *dir, const char *build, const char *end);
/* Hexadecimal digits, and no path */
bool buildfile_is_id(const char *hex);

#endif
