// SPDX-License-Identifier: GPL-2.0
/* PTRC-03, PTRC-14 */
#define PAGE "XSH posix_trace_attr_getlogfullpolicy"
#include "attributes.h"

static void of_streams(void)
{
	int fd = new_file(), value = -1;
	trace_attr_t a;
	trace_id_t trid = logged(fd, 0, POSIX_TRACE_UNTIL_FULL, 0);

	need(posix_trace_attr_init(&a));
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getlogfullpolicy(&a, &value));
	same("XSH posix_trace_create, DESCRIPTION", value, POSIX_TRACE_UNTIL_FULL,
	     "a stream keeps the one that it was made with");
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	need(posix_trace_get_attr(trid, &a));
	value = -1;
	need(posix_trace_attr_getlogfullpolicy(&a, &value));
	same("XSH posix_trace_create, DESCRIPTION", value, POSIX_TRACE_UNTIL_FULL,
	     "and its log has it");
	need(posix_trace_close(trid));
	need(posix_trace_attr_destroy(&a));
}

int main(void)
{
	static const int values[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				     POSIX_TRACE_APPEND };
	static const struct policy p = {
		posix_trace_attr_getlogfullpolicy,
		posix_trace_attr_setlogfullpolicy, values, 3
	};

	get_policy(&p);
	of_streams();
	return done();
}
