/* SPDX-License-Identifier: GPL-2.0 */
/* alias_file.h - a file with names of addresses: see alias.h */
#ifndef VIEWER_ALIAS_FILE_H
#define VIEWER_ALIAS_FILE_H

#include <linux/types.h>
#include <stddef.h>

/* struct alias_line - one name; @pid 0 = of all processes */
struct alias_line {
	__u64 address;
	__u32 pid;
	char *name;
};

/* struct alias_file - all names; all zero to begin with */
struct alias_file {
	struct alias_line *lines;
	size_t nr;
};

/* Adds the names of a file. Returns what is wrong, valid until the next call; NULL = nothing. */
const char *alias_file_read(struct alias_file *f, const char *path);
void alias_file_free(struct alias_file *f);

#endif
