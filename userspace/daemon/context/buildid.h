/* SPDX-License-Identifier: GPL-2.0 */
/* buildid.h - build ids from untrusted ELF files */
#ifndef KTRACED_CONTEXT_BUILDID_H
#define KTRACED_CONTEXT_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define BUILDID_TEXT 129	/* hexadecimal digits and a NUL */

/* @text: 2 * @size + 1 bytes */
void buildid_print(const unsigned char *id, size_t size, char *text);
/* Reads a file of nothing but ELF notes, as in /sys. All return false if there is no build id. */
bool buildid_of_notes_file(const char *path, char *text);
/* Reads a program or library; false also if it is not a regular file. */
bool buildid_of_file(const char *path, char *text);
/* Same, but false if another file has that name now; @inode 0: accepts any file. */
bool buildid_of_inode(const char *path, dev_t device, ino_t inode, char *text);

#endif
