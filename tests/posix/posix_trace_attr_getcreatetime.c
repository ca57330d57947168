// SPDX-License-Identifier: GPL-2.0
/* PTRC-07 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_getcreatetime"

static bool later(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

/* It is kept in the log. */
static void kept(void)
{
	struct timespec made, found;
	int fd = new_file();
	trace_id_t trid = logged(fd, 0, 0, 0);
	trace_attr_t a;

	need(posix_trace_attr_init(&a));
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getcreatetime(&a, &made));
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getcreatetime(&a, &found));
	check("XSH posix_trace_create, DESCRIPTION",
	      made.tv_sec == found.tv_sec && made.tv_nsec == found.tv_nsec,
	      "a log has the time of its stream");
	need(posix_trace_close(trid));
	need(posix_trace_attr_destroy(&a));
}

int main(void)
{
	struct timespec before, after, made = { -1, -1 };
	trace_attr_t a;
	trace_id_t trid;

	need(posix_trace_attr_init(&a));
	choice(DESCRIPTION, !posix_trace_attr_getcreatetime(&a, &made) && !made.tv_sec &&
	       !made.tv_nsec, "without a stream it is 0");
	clock_gettime(CLOCK_REALTIME, &before);
	trid = stream(0, 0);
	clock_gettime(CLOCK_REALTIME, &after);
	need(posix_trace_get_attr(trid, &a));
	same(RETURNS, posix_trace_attr_getcreatetime(&a, &made), 0, "a time is given");
	check("XSH posix_trace_create, DESCRIPTION", !later(before, made),
	      "which is not before the stream was made, by CLOCK_REALTIME");
	check("XSH posix_trace_create, DESCRIPTION", !later(made, after), "and not after it");
	need(posix_trace_shutdown(trid));
	kept();
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, posix_trace_attr_getcreatetime(&a, &made) == EINVAL,
	       "a destroyed object: EINVAL");
	return done();
}
