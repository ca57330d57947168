// SPDX-License-Identifier: GPL-2.0
/* PTRC-03, PTRC-14 */
#define PAGE "XSH posix_trace_attr_getstreamfullpolicy"
#include "attributes.h"

/* What a stream was made with, and what takes the place of the default */
static void of_streams(void)
{
	static const char *const with[] = { "without a log", "with a log" };
	static const int defaults[] = { POSIX_TRACE_LOOP, POSIX_TRACE_FLUSH };
	trace_attr_t a;
	trace_id_t trid;
	int value, fd;

	for (int log = 0; log < 2; log++) {
		fd = new_file();
		need(posix_trace_attr_init(&a));
		if (log)
			need(posix_trace_create_withlog(0, &a, fd, &trid));
		else
			need(posix_trace_create(0, &a, &trid));
		need(posix_trace_get_attr(trid, &a));
		need(posix_trace_attr_getstreamfullpolicy(&a, &value));
		same(DESCRIPTION, value, defaults[log], "the default of a stream %s", with[log]);
		need(posix_trace_shutdown(trid));
		close(fd);
	}
}

int main(void)
{
	static const int values[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH };
	static const struct policy p = {
		posix_trace_attr_getstreamfullpolicy,
		posix_trace_attr_setstreamfullpolicy, values, 3
	};

	get_policy(&p);
	of_streams();
	return done();
}
