/* SPDX-License-Identifier: GPL-2.0 */
/*
 * store_index.h - what a folder of ktrace store says about its files, so that they stay closed
 *
 * DIR/HOST/BOOT/.index has a line for each file that was complete, in the order in which they were:
 *
 *   CRC FIRST LAST SIZE MTIME NAME
 *
 * It is a hint. Readers believe a line only if its checksum is right and the file still has this
 * size and time; any other file is opened. So lines may be missing, damaged, repeated or old.
 */
#ifndef VIEWER_BASE_STORE_INDEX_H
#define VIEWER_BASE_STORE_INDEX_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define STORE_INDEX ".index"
#define STORE_INCOMING ".incoming"
/* Size of a line and its NUL */
#define STORE_LINE_MAX 512

/**
 * struct store_line - what is known of a file
 * @first:	time of its first event, ns since the epoch; 0, as @last: it has none
 * @last:	its last event is not later
 * @size:	bytes
 * @mtime_ns:	time of its last change
 * @name:	name in its folder
 */
struct store_line {
	__u64 first;
	__u64 last;
	__u64 size;
	__u64 mtime_ns;
	const char *name;
};

/* Writes a line without newline. */
void store_line_put(char text[STORE_LINE_MAX], const struct store_line *line);
/* Returns false for other text. Keeps a pointer to @text, which must end with a NUL. */
bool store_line_parse(const char *text, struct store_line *line);
/* Fills in size and time of a file. */
void store_line_stat(struct store_line *line, const struct stat *st);
/* Finds in the file itself when its events were; its name is for messages. Return: 0, -errno. */
int store_line_look(struct store_line *line, int fd);
/* Counts the names in the folder @fd that do not begin with a dot; 0 if it cannot be read. */
unsigned int store_names(int fd);

#endif
