/* SPDX-License-Identifier: GPL-2.0 */
/* temporary.h - temporary files that vanish with the process, however it ends */
#ifndef VIEWER_BASE_TEMPORARY_H
#define VIEWER_BASE_TEMPORARY_H

#include <stdio.h>

/* Returns their folder: the one that TMPDIR names, or /tmp. */
const char *temporary_folder(void);
/* Makes a file for reading and writing. Return: its descriptor, -errno. */
int temporary_file(void);
/* The same as a stream. Return: NULL, having reported the reason. */
FILE *temporary_stream(void);
/* Reports that a temporary file cannot be made or written, its folder, and @error, an errno. */
void temporary_failed(int error);

#endif
