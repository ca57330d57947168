// SPDX-License-Identifier: GPL-2.0
/* temporary.c - files that are unlinked as soon as they are open */
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "viewer.h"

const char *temporary_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

int temporary_file(void)
{
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/ktrace.XXXXXX", temporary_folder()) >=
	    sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

void temporary_failed(int error)
{
	complain_about(temporary_folder(), "temporary file: %s", output_error(-error));
}

FILE *temporary_stream(void)
{
	int fd = temporary_file(), error = fd < 0 ? -fd : 0;
	FILE *file = error ? NULL : fdopen(fd, "w+");

	if (file)
		return file;
	if (!error) {
		error = errno;
		close(fd);
	}
	temporary_failed(error);
	return NULL;
}
