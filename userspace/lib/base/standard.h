/* SPDX-License-Identifier: GPL-2.0 */
/* standard.h - standard input, output and error of a program that was started without them */
#ifndef KTRACE_BASE_STANDARD_H
#define KTRACE_BASE_STANDARD_H

#include <fcntl.h>
#include <unistd.h>

/**
 * standard_hold - take the places of descriptors 0, 1 and 2 that are closed
 *
 * Call at the beginning of main(). A file opened later would get such a number, and text for
 * standard output or error would be written into it. The descriptor opened instead can neither be
 * read nor written, as if it were closed; in executed programs, it is closed.
 */
static inline void standard_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH | O_CLOEXEC) != fd)
			_exit(1);
}

#endif
