// SPDX-License-Identifier: GPL-2.0
/* PTRC-11 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_getmaxusereventsize"

int main(void)
{
	size_t size = 0, before = 0, most = 0, falls = 0;
	trace_attr_t a;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setmaxdatasize(&a, 300));
	same(RETURNS, posix_trace_attr_getmaxusereventsize(&a, 0, &size), 0, "a size is given");
	check(DESCRIPTION, size > 0, "an event without data has a size, too: %zu", size);
	for (size_t len = 0; len <= 300; len++) {
		need(posix_trace_attr_getmaxusereventsize(&a, len, &size));
		falls += size < before || size < len;
		before = size;
	}
	same(DESCRIPTION, falls, 0, "more data never needs less, nor less than the data");
	need(posix_trace_attr_getmaxusereventsize(&a, 300, &most));
	need(posix_trace_attr_getmaxusereventsize(&a, 301, &size));
	choice(DESCRIPTION, size == most, "what is cut off needs nothing");
	need(posix_trace_attr_getmaxusereventsize(&a, (size_t)-1, &size));
	choice(DESCRIPTION, size == most, "be it as much as can be");
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, posix_trace_attr_getmaxusereventsize(&a, 1, &size) == EINVAL,
	       "a destroyed object: EINVAL");
	return done();
}
