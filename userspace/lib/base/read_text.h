/* SPDX-License-Identifier: LGPL-2.1 */
/* read_text.h - the beginning of a small file, such as those of /proc */
#ifndef KTRACE_BASE_READ_TEXT_H
#define KTRACE_BASE_READ_TEXT_H

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Reads up to @size - 1 bytes and ends them with a NUL. Return: their number, 0 = unreadable */
static inline size_t read_text_of(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n = 0;

	while (fd >= 0 && len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return len;
}

static inline size_t read_text(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const size_t len = read_text_of(fd, text, size);

	if (fd >= 0)
		close(fd);
	return len;
}

/* Likewise without the newline at the end */
static inline size_t read_line(const char *path, char *text, size_t size)
{
	size_t len = read_text(path, text, size);

	if (len && text[len - 1] == '\n')
		text[--len] = '\0';
	return len;
}

#endif
