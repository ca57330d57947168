/* SPDX-License-Identifier: LGPL-2.1 */
/* beside.h - files that are installed with this program */
#ifndef KTRACE_BASE_BESIDE_H
#define KTRACE_BASE_BESIDE_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Finds a file relative to the folder of this program, so that it works in the build folder and
 * when installed. Return: 0, -errno.
 */
__attribute__((format(printf, 3, 4)))
static inline int path_beside(char *path, size_t size, const char *format, ...)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;
	va_list args;
	size_t room;
	int len;

	if (n < 0)
		return -errno;
	path[n] = 0;
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	room = size - (size_t)(slash - path);
	va_start(args, format);
	len = vsnprintf(slash, room, format, args);
	va_end(args);
	return (size_t)len < room ? 0 : -ENAMETOOLONG;
}

#endif
