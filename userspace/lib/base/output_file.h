/* SPDX-License-Identifier: LGPL-2.1 */
/* output_file.h - files that are written, and links of other users that are not followed */
#ifndef KTRACE_BASE_OUTPUT_FILE_H
#define KTRACE_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

/* Traces tell what programs do, and are their user's alone. */
#define OUTPUT_MODE 0600

/* What --mode takes: of files that their user reads and writes, and that nobody runs */
#define OUTPUT_MODE_WRONG "--mode must be octal, from 0600 to 0666, such as 0640, not"

static inline bool output_mode_parse(const char *text, __u32 *mode)
{
	const size_t n = strspn(text, "01234567");

	*mode = n && n <= 4 && !text[n] ? (__u32)strtoul(text, NULL, 8) : 0;
	return (*mode & 0600) == 0600 && !(*mode & ~0666u);
}

/*
 * Opens a file to write to it: @flags as of open(2). With O_EXCL for names that no user has given:
 * the file is new, and no link. Else the name may lead there by links, but in a folder where
 * everybody may make files (/tmp) only by those of this user and of the folder's owner, and to no
 * file of anybody else: as the kernel has it with fs.protected_symlinks and fs.protected_regular,
 * which may be off.
 *
 * A new file has mode OUTPUT_MODE, whatever the umask is; another one keeps its own.
 *
 * Return: descriptor, or -errno; -EACCES: such a link or file, too.
 */
int ktrace_output_file(const char *path, int flags);

#endif
