/* SPDX-License-Identifier: LGPL-2.1 */
/* replaced_file.h - whether a file that is there may be replaced by what is written */
#ifndef KTRACE_BASE_REPLACED_FILE_H
#define KTRACE_BASE_REPLACED_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/*
 * Pipes, terminals and disks are mistakes: sections are written at their places. /dev/null serves
 * measurements.
 */
static inline bool is_fit_for_trace(const struct stat *st)
{
	return S_ISREG(st->st_mode) || (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3));
}

/* True for a program, as in "-o ./app", where a name for the output was forgotten. */
static inline bool is_program(const char *path)
{
	char magic[4] = "";
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(magic, 1, sizeof(magic), f) : 0;

	if (f)
		fclose(f);
	return n == sizeof(magic) && (!memcmp(magic, "\177ELF", 4) || !memcmp(magic, "#!", 2));
}

#endif
