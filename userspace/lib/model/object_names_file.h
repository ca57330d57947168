/* SPDX-License-Identifier: LGPL-2.1 */
/* object_names_file.h - a file with names of addresses: see object_names.h */
#ifndef KTRACE_MODEL_OBJECT_NAMES_FILE_H
#define KTRACE_MODEL_OBJECT_NAMES_FILE_H

#include <linux/types.h>
#include <stddef.h>

/* struct object_name_line - one name; @pid 0 = for all processes */
struct object_name_line {
	__u64 address;
	__u32 pid;
	char *name;
};

/* struct object_name_file - all names; all zero to begin with */
struct object_name_file {
	struct object_name_line *lines;
	size_t nr;
};

/* Adds the names of a file. Returns an error, valid until the next call; NULL = none. */
const char *object_name_file_read(struct object_name_file *f, const char *path);
void object_name_file_free(struct object_name_file *f);

#endif
