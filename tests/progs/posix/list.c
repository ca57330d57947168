// SPDX-License-Identifier: GPL-2.0
/* list.c - NAME LENGTH of each event of a log or a trace, its standard input */
#include <stdio.h>
#include <trace.h>
#include <unistd.h>

#include "../../unit/check.h"

int main(void)
{
	struct posix_trace_event_info info;
	char name[TRACE_EVENT_NAME_MAX + 1];
	static char data[1 << 16];
	struct timespec last = { 0, 0 };
	trace_id_t trid;
	size_t len;
	int nothing;

	CHECK_EQ(posix_trace_open(STDIN_FILENO, &trid), 0);
	for (;;) {
		CHECK_EQ(posix_trace_getnext_event(trid, &info, data, sizeof(data), &len,
						   &nothing), 0);
		if (nothing)
			break;
		CHECK_EQ(posix_trace_eventid_get_name(trid, info.posix_event_id, name), 0);
		CHECK(info.posix_timestamp.tv_sec > last.tv_sec ||
		      (info.posix_timestamp.tv_sec == last.tv_sec &&
		       info.posix_timestamp.tv_nsec >= last.tv_nsec));
		last = info.posix_timestamp;
		printf("%s %zu\n", name, len);
	}
	CHECK_EQ(posix_trace_close(trid), 0);
	return 0;
}
