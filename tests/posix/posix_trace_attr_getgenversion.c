// SPDX-License-Identifier: GPL-2.0
/* PTRC-05 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_getgenversion"

int main(void)
{
	char buffer[TRACE_NAME_MAX + 8], of_stream[TRACE_NAME_MAX + 8];
	trace_attr_t a;
	trace_id_t trid;
	size_t n;

	memset(buffer, 0x7f, sizeof(buffer));
	need(posix_trace_attr_init(&a));
	same(RETURNS, posix_trace_attr_getgenversion(&a, buffer), 0, "a version is given");
	n = strnlen(buffer, sizeof(buffer));
	check(DESCRIPTION, n > 0, "which is not empty");
	check(DESCRIPTION, n < TRACE_NAME_MAX, "which fits in TRACE_NAME_MAX characters");
	for (n = TRACE_NAME_MAX; n < sizeof(buffer) && buffer[n] == 0x7f; n++)
		;
	same(DESCRIPTION, n, sizeof(buffer), "nothing is written behind TRACE_NAME_MAX characters");
	trid = stream(0, 0);
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getgenversion(&a, of_stream));
	check(DESCRIPTION, strcmp(buffer, of_stream) == 0, "a stream has the same");
	need(posix_trace_shutdown(trid));
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, posix_trace_attr_getgenversion(&a, buffer) == EINVAL,
	       "a destroyed object: EINVAL");
	return done();
}
