/* SPDX-License-Identifier: LGPL-2.1 */
/* output_file.h - opens files for writing, without following links of other users */
#ifndef KTRACE_BASE_OUTPUT_FILE_H
#define KTRACE_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

/* Traces reveal what programs do, so only their user may read them. */
#define OUTPUT_MODE 0600

/* --mode takes modes of files that their user can read and write, and that nobody can run. */
#define OUTPUT_MODE_WRONG "--mode must be octal, from 0600 to 0666, such as 0640, not"

static inline bool output_mode_parse(const char *text, __u32 *mode)
{
	const size_t n = strspn(text, "01234567");

	*mode = n && n <= 4 && !text[n] ? (__u32)strtoul(text, NULL, 8) : 0;
	return (*mode & 0600) == 0600 && !(*mode & ~0666u);
}

/*
 * Opens a file for writing; @flags as for open(2). Use O_EXCL for names that no user has given: the
 * file is then new, and not a link. Otherwise links in the path are followed. In a folder where
 * everybody may make files (/tmp), links and files must belong to this user or to the folder's
 * owner; the kernel does the same with fs.protected_symlinks and fs.protected_regular, which may
 * be off.
 *
 * A new file has mode OUTPUT_MODE, whatever the umask is; an existing one keeps its mode.
 *
 * Return: descriptor, or -errno; -EACCES also for a link or file of another user.
 */
int ktrace_output_file(const char *path, int flags);

#endif
