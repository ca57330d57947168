/* SPDX-License-Identifier: GPL-2.0 */
/* temporary.h - files that are gone with the process, whatever ends it */
#ifndef VIEWER_TEMPORARY_H
#define VIEWER_TEMPORARY_H

/* Where they are: the folder that TMPDIR names, or /tmp */
const char *temporary_folder(void);
/* A new one, for reading and writing. Return: its descriptor, -errno. */
int temporary_file(void);

#endif
