// SPDX-License-Identifier: GPL-2.0
/* PTRC-04 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_destroy"

int main(void)
{
	char name[TRACE_NAME_MAX + 1] = "";
	trace_id_t first, second;
	trace_attr_t a, used;
	int policy;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setname(&a, "kept"));
	need(posix_trace_create(0, &a, &first));
	same(DESCRIPTION, posix_trace_create(0, &a, &second), 0,
	     "one object serves several streams");
	same(RETURNS, posix_trace_attr_destroy(&a), 0, "an object is destroyed");
	memset(&a, 0x5a, sizeof(a));
	need(posix_trace_attr_init(&used));
	same(DESCRIPTION, posix_trace_get_attr(first, &used), 0,
	     "its streams still have attributes");
	need(posix_trace_attr_getname(&used, name));
	check(DESCRIPTION, strcmp(name, "kept") == 0, "which are not affected");
	same(DESCRIPTION, posix_trace_start(first), 0, "its streams can be started");
	need(posix_trace_shutdown(first));
	need(posix_trace_shutdown(second));
	need(posix_trace_attr_destroy(&used));
	choice(ERRORS, posix_trace_attr_destroy(&used) == EINVAL, "twice: EINVAL");
	choice(ERRORS, posix_trace_attr_getstreamfullpolicy(&used, &policy) == EINVAL,
	       "what is destroyed has no attributes: EINVAL");
	choice("XSH posix_trace_create, ERRORS", posix_trace_create(0, &used, &first) == EINVAL,
	       "no stream can be made with it: EINVAL");
	memset(&used, 0, sizeof(used));
	choice(ERRORS, posix_trace_attr_destroy(&used) == EINVAL, "what never was: EINVAL");
	return done();
}
