/* SPDX-License-Identifier: LGPL-2.1 */
/* write_all.h - write(2) until all is written */
#ifndef KTRACE_BASE_WRITE_ALL_H
#define KTRACE_BASE_WRITE_ALL_H

#include <errno.h>
#include <unistd.h>

/* Return: 0 or -errno; then a part may have been written. */
static inline int write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		const ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

#endif
