// SPDX-License-Identifier: GPL-2.0
/* PTRC-04, PTRC-05 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_getname"

int main(void)
{
	char buffer[TRACE_NAME_MAX + 8];
	trace_attr_t a;
	trace_id_t trid;
	size_t n;

	need(posix_trace_attr_init(&a));
	memset(buffer, 0x7f, sizeof(buffer));
	same(RETURNS, posix_trace_attr_getname(&a, buffer), 0, "a name is given");
	choice(DESCRIPTION, buffer[0] == '\0', "which is empty at first");
	need(posix_trace_attr_setname(&a, "a name of some words"));
	need(posix_trace_attr_getname(&a, buffer));
	check(DESCRIPTION, strcmp(buffer, "a name of some words") == 0, "which is what was set");
	need(posix_trace_create(0, &a, &trid));
	need(posix_trace_attr_setname(&a, "another"));
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getname(&a, buffer));
	check("XSH posix_trace_create, DESCRIPTION", strcmp(buffer, "a name of some words") == 0,
	      "a stream keeps the name that it was made with");
	need(posix_trace_shutdown(trid));
	memset(buffer, 'n', sizeof(buffer));
	buffer[sizeof(buffer) - 1] = '\0';
	need(posix_trace_attr_setname(&a, buffer));
	memset(buffer, 0x7f, sizeof(buffer));
	need(posix_trace_attr_getname(&a, buffer));
	check(DESCRIPTION, strnlen(buffer, sizeof(buffer)) < TRACE_NAME_MAX,
	      "the longest fits in TRACE_NAME_MAX characters");
	for (n = TRACE_NAME_MAX; n < sizeof(buffer) && buffer[n] == 0x7f; n++)
		;
	same(DESCRIPTION, n, sizeof(buffer), "nothing is written behind TRACE_NAME_MAX characters");
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, posix_trace_attr_getname(&a, buffer) == EINVAL,
	       "a destroyed object: EINVAL");
	return done();
}
