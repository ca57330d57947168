// SPDX-License-Identifier: GPL-2.0
/*
 * swap_fifo.c - to be preloaded: another user is quicker
 *
 * When the file "out" is opened that is there already, what is called "fifo" in the same folder has
 * taken its name: as if its owner had renamed it just then.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (!strcmp(path, "out") && !(flags & (O_CREAT | O_PATH)))
		renameat(dir, "fifo", dir, "out");
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));
