// SPDX-License-Identifier: GPL-2.0
/* PTRC-78 */
#include "suite.h"

#define PAGE "XSH posix_trace_rewind"

int main(void)
{
	int fd;
	trace_id_t trid = recorded(&fd), active;
	struct seen first, again;

	need(log_next(trid, &first) ? 0 : ENOENT);
	same(RETURNS, posix_trace_rewind(trid), 0, "after one event");
	need(log_next(trid, &again) ? 0 : ENOENT);
	check(DESCRIPTION, memcmp(&first.info, &again.info, sizeof(first.info)) == 0 &&
	      first.len == again.len && memcmp(first.data, again.data, first.len) == 0,
	      "the oldest event is the next one, the same in all");
	need(posix_trace_rewind(trid));
	tells(DESCRIPTION, trid, RECORDED, "START a b STOP", "and the others after it");
	same(RETURNS, posix_trace_rewind(trid), 0, "at the end");
	tells(DESCRIPTION, trid, RECORDED, "START a b STOP", "all events again");
	need(posix_trace_close(trid));
	choice(ERRORS, posix_trace_rewind(trid) == EINVAL, "a log that was closed: EINVAL");
	active = stream(0, 0);
	choice(ERRORS, posix_trace_rewind(active) == EINVAL, "an active stream: EINVAL");
	need(posix_trace_shutdown(active));
	close(fd);
	return done();
}
