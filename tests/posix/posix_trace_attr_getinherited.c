// SPDX-License-Identifier: GPL-2.0
/* PTRC-03, PTRC-14 */
#define PAGE "XSH posix_trace_attr_getinherited"
#include "attributes.h"

static void of_streams(void)
{
	trace_attr_t a;
	trace_id_t trid;
	int value = -1;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setinherited(&a, POSIX_TRACE_INHERITED));
	need(posix_trace_create(0, &a, &trid));
	need(posix_trace_attr_setinherited(&a, POSIX_TRACE_CLOSE_FOR_CHILD));
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getinherited(&a, &value));
	same("XSH posix_trace_create, DESCRIPTION", value, POSIX_TRACE_INHERITED,
	     "a stream keeps the one that it was made with");
	need(posix_trace_shutdown(trid));
	need(posix_trace_attr_destroy(&a));
}

int main(void)
{
	static const int values[] = { POSIX_TRACE_CLOSE_FOR_CHILD, POSIX_TRACE_INHERITED };
	static const struct policy p = {
		posix_trace_attr_getinherited,
		posix_trace_attr_setinherited, values, 2
	};

	get_policy(&p);
	of_streams();
	return done();
}
