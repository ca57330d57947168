// SPDX-License-Identifier: GPL-2.0
/* PTRC-58 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventtypelist_rewind"

static void again(trace_id_t trid)
{
	trace_event_id_t first, id;
	int none = 0;

	need(posix_trace_eventtypelist_getnext_id(trid, &first, &none));
	need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
	check(DESCRIPTION, !posix_trace_eventid_equal(trid, first, id), "there is a second one");
	same(RETURNS, posix_trace_eventtypelist_rewind(trid), 0, "in the middle");
	need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
	check(DESCRIPTION, !none && posix_trace_eventid_equal(trid, first, id),
	      "the first one again");
	while (!none)
		need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
	same(RETURNS, posix_trace_eventtypelist_rewind(trid), 0, "at the end");
	need(posix_trace_eventtypelist_getnext_id(trid, &id, &none));
	check(DESCRIPTION, !none && posix_trace_eventid_equal(trid, first, id),
	      "the first one again");
}

int main(void)
{
	trace_id_t trid = stream(0, 0);
	int fd;

	same(RETURNS, posix_trace_eventtypelist_rewind(trid), 0, "at the start");
	again(trid);
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_eventtypelist_rewind(trid), EINVAL,
	     "a stream that was shut down: EINVAL");
	trid = recorded(&fd);
	again(trid);
	need(posix_trace_close(trid));
	close(fd);
	return done();
}
