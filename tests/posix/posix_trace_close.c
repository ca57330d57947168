// SPDX-License-Identifier: GPL-2.0
/* PTRC-78 */
#include "suite.h"

#include <fcntl.h>

#define PAGE "XSH posix_trace_close"
#define MANY 1100	/* more than there are places for ids */

int main(void)
{
	unsigned int closed = 0;
	int fd;
	trace_id_t trid = recorded(&fd), active, other;
	struct posix_trace_status_info s;

	same(RETURNS, posix_trace_close(trid), 0, "a log");
	same(DESCRIPTION, posix_trace_get_status(trid, &s), EINVAL, "its id is invalid then");
	choice(ERRORS, posix_trace_close(trid) == EINVAL, "twice: EINVAL");
	choice(ERRORS, posix_trace_close(-1) == EINVAL, "no log: EINVAL");
	check(DESCRIPTION, fcntl(fd, F_GETFD) >= 0, "the caller's descriptor stays open");
	few_descriptors();
	for (unsigned int i = 0; i < MANY; i++) {
		other = reopened(fd);
		closed += posix_trace_close(other) == 0;
	}
	same(DESCRIPTION, closed, MANY, "what it had is free");
	active = stream(0, 0);
	choice(ERRORS, posix_trace_close(active) == EINVAL, "an active stream: EINVAL");
	same(ERRORS, posix_trace_get_status(active, &s), 0, "which goes on");
	need(posix_trace_shutdown(active));
	close(fd);
	return done();
}
