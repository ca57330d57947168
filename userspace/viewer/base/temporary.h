/* SPDX-License-Identifier: GPL-2.0 */
/* temporary.h - files that are gone with the process, whatever ends it */
#ifndef VIEWER_BASE_TEMPORARY_H
#define VIEWER_BASE_TEMPORARY_H

#include <stdio.h>

/* Where they are: the folder that TMPDIR names, or /tmp */
const char *temporary_folder(void);
/* A new one, for reading and writing. Return: its descriptor, -errno. */
int temporary_file(void);
/* The same as a stream. Return: NULL, having said why there is none. */
FILE *temporary_stream(void);
/* Says where it was to be, and why it is not, or cannot be written: @error, an errno. */
void temporary_failed(int error);

#endif
