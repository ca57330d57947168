// SPDX-License-Identifier: GPL-2.0
/* PTRC-08 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_getclockres"

/* The smallest step between stamps that are not the same */
static long smallest_step(void)
{
	trace_id_t trid = started(POSIX_TRACE_LOOP, 65536);
	trace_event_id_t id = event("tick");
	long least = 1000000000, step;
	struct timespec before = { 0, 0 };
	struct seen e;

	for (int i = 0; i < 500; i++)
		tell(id, i);
	while (try_next(trid, &e)) {
		step = (e.info.posix_timestamp.tv_sec - before.tv_sec) * 1000000000 +
		       e.info.posix_timestamp.tv_nsec - before.tv_nsec;
		if (before.tv_sec && step > 0 && step < least)
			least = step;
		before = e.info.posix_timestamp;
	}
	need(posix_trace_shutdown(trid));
	return least;
}

int main(void)
{
	struct timespec r = { -1, -1 }, of_stream = { -1, -1 };
	trace_attr_t a;
	trace_id_t trid;

	need(posix_trace_attr_init(&a));
	same(RETURNS, posix_trace_attr_getclockres(&a, &r), 0, "a resolution is given");
	check(DESCRIPTION, r.tv_sec >= 0 && r.tv_nsec >= 0 && r.tv_nsec < 1000000000,
	      "which is a time");
	check(DESCRIPTION, r.tv_sec || r.tv_nsec, "which is not 0");
	check(DESCRIPTION, r.tv_sec == 0 && r.tv_nsec <= smallest_step(),
	      "stamps do not differ by less");
	trid = stream(0, 0);
	need(posix_trace_get_attr(trid, &a));
	same(DESCRIPTION, posix_trace_attr_getclockres(&a, &of_stream), 0, "a stream has one");
	check(DESCRIPTION, of_stream.tv_sec == r.tv_sec && of_stream.tv_nsec == r.tv_nsec,
	      "which is the same");
	need(posix_trace_shutdown(trid));
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, posix_trace_attr_getclockres(&a, &r) == EINVAL,
	       "a destroyed object: EINVAL");
	return done();
}
