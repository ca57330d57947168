// SPDX-License-Identifier: GPL-2.0
/* PTRC-14 */
#define PAGE "XSH posix_trace_attr_setstreamfullpolicy"
#include "attributes.h"

/* A stream without log has nothing to flush to. */
static void flush_without_log(void)
{
	trace_attr_t a;
	trace_id_t trid;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setstreamfullpolicy(&a, POSIX_TRACE_FLUSH));
	same("XSH posix_trace_create, ERRORS", posix_trace_create(0, &a, &trid), EINVAL,
	     "FLUSH is invalid for a stream without log: EINVAL");
	need(posix_trace_attr_destroy(&a));
}

int main(void)
{
	static const int values[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH };
	static const struct policy p = {
		posix_trace_attr_getstreamfullpolicy,
		posix_trace_attr_setstreamfullpolicy, values, 3
	};

	set_policy(&p);
	flush_without_log();
	return done();
}
