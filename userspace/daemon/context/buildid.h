/* SPDX-License-Identifier: GPL-2.0 */
/* buildid.h - build ids of files of which nothing is believed */
#ifndef KTRACED_CONTEXT_BUILDID_H
#define KTRACED_CONTEXT_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define BUILDID_TEXT 129	/* hexadecimal digits and a NUL */

/* @text: 2 * @size + 1 bytes */
void buildid_print(const unsigned char *id, size_t size, char *text);
/* Of a file that holds nothing but ELF notes, as in /sys. False, here and below: there is none. */
bool buildid_of_notes_file(const char *path, char *text);
/* Of a program or library; false also if it is no regular file. */
bool buildid_of_file(const char *path, char *text);
/* The same, and false if another file has that name; @inode 0: any will do. */
bool buildid_of_inode(const char *path, dev_t device, ino_t inode, char *text);

#endif
