// SPDX-License-Identifier: GPL-2.0
/*
 * buildfile.c - opens files that the trace names by path or build id
 *
 * The trace can name anything, so this opens only regular files and never blocks.
 */
#include "buildfile.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int buildfile_regular(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* True if the file has the build id @hex. */
static bool has_build(int fd, const char *hex)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const unsigned char *id;
	const void *bits = NULL;
	ssize_t i, size;

	size = elf ? dwelf_elf_gnu_build_id(elf, &bits) : -1;
	id = bits;
	if (size <= 0 || strlen(hex) != 2 * (size_t)size)
		size = -1;
	for (i = 0; i < size; i++) {
		char byte[3];

		snprintf(byte, sizeof(byte), "%02x", id[i]);
		if (strncmp(byte, hex + 2 * i, 2))
			size = -1;
	}
	elf_end(elf);
	return size > 0;
}

int buildfile_open(const char *build, const char *format, ...)
{
	char *path = NULL;
	va_list list;
	int fd;

	va_start(list, format);
	if (vasprintf(&path, format, list) < 0)
		path = NULL;
	va_end(list);
	fd = path ? buildfile_regular(path) : -1;
	free(path);
	if (fd >= 0 && build && !has_build(fd, build)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool buildfile_is_id(const char *hex)
{
	size_t n = strspn(hex, "0123456789abcdef");

	return n > 2 && n <= 128 && !hex[n];
}

int buildfile_in(const char *dir, const char *build, const char *end)
{
	return buildfile_open(build, "%s/.build-id/%.2s/%s%s", dir, build, build + 2, end);
}
