/* SPDX-License-Identifier: GPL-2.0 */
/* standard.h - standard input, output and error of a program that was started without them */
#ifndef KTRACE_BASE_STANDARD_H
#define KTRACE_BASE_STANDARD_H

#include <fcntl.h>
#include <unistd.h>

/**
 * standard_hold - take the places of descriptors 0, 1 and 2 that are closed
 *
 * For the beginning of main(). A file opened later would get such a number, and what is meant for
 * standard output or error would be written into it. What takes the place can neither be read nor
 * written, as if it were closed; and for programs executed it is.
 */
static inline void standard_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH | O_CLOEXEC) != fd)
			_exit(1);
}

#endif
