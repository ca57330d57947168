// SPDX-License-Identifier: GPL-2.0
/* errors.c - errors that need more than an argument: no memory, no space */
#include "suite.h"

#include <fcntl.h>

#define CREATE "XSH posix_trace_create, ERRORS"

static void too_large(void)
{
	trace_attr_t attr;
	trace_id_t trid;
	int error;

	need(posix_trace_attr_init(&attr));
	error = posix_trace_attr_setstreamsize(&attr, (size_t)1 << 62);
	if (!error)
		error = posix_trace_create(0, &attr, &trid);
	check(CREATE, error == ENOMEM || error == EINVAL,
	      "a stream larger than any memory: ENOMEM, or EINVAL (%d)", error);
	need(posix_trace_attr_destroy(&attr));
}

/* A log on a device that is full, which shows when it is flushed or shut down */
static void no_space(void)
{
	int fd = open("/dev/full", O_WRONLY), error;
	trace_attr_t attr;
	trace_id_t trid;

	if (fd < 0)
		return;
	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND));
	error = posix_trace_create_withlog(0, &attr, fd, &trid);
	if (!error) {
		need(posix_trace_start(trid));
		tell(event("nowhere"), 1);
		error = posix_trace_shutdown(trid);
	}
	same(CREATE, error, ENOSPC, "a log on a device without room: ENOSPC");
	need(posix_trace_attr_destroy(&attr));
	close(fd);
}

static void positive(void)
{
	struct posix_trace_status_info s;

	check("XSH posix_trace_start, RETURN VALUE", posix_trace_start(-1) > 0,
	      "errors are positive numbers");
	check("XSH posix_trace_get_attr, RETURN VALUE", posix_trace_get_status(-1, &s) > 0,
	      "all of them");
}

int main(void)
{
	too_large();
	no_space();
	positive();
	return done();
}
