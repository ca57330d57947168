// SPDX-License-Identifier: GPL-2.0
/*
 * attach.c - a traced program that has no descriptor left for the stream's rings: what it cannot
 * record is counted, and it records when it has one again
 */
#include <sys/resource.h>
#include <trace.h>

#include "../../unit/check.h"

#define LOST 3
#define NORING 4	/* KTRACE_LOST_NORING */

int main(void)
{
	struct posix_trace_status_info status;
	struct posix_trace_event_info info;
	struct rlimit limit;
	trace_event_id_t id;
	trace_id_t trid;
	size_t len;
	int n = 0, nothing, number;

	CHECK_EQ(posix_trace_eventid_open("attach", &id), 0);
	CHECK_EQ(posix_trace_create(0, NULL, &trid), 0);
	CHECK_EQ(posix_trace_start(trid), 0);
	CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
	CHECK(!setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max }));
	for (; n < LOST; n++)
		posix_trace_event(id, &n, sizeof(n));
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	posix_trace_event(id, &n, sizeof(n));
	CHECK_EQ(posix_trace_get_status(trid, &status), 0);
	CHECK_EQ(status.posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
	CHECK_EQ(status.posix_stream_lost[NORING], LOST);
	CHECK_EQ(posix_trace_get_status(trid, &status), 0);
	CHECK_EQ(status.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	do {
		CHECK_EQ(posix_trace_trygetnext_event(trid, &info, &number, sizeof(number), &len,
						      &nothing), 0);
		CHECK(!nothing);
	} while (info.posix_event_id != id);
	CHECK_EQ(number, LOST);
	CHECK_EQ(posix_trace_shutdown(trid), 0);
	return 0;
}
