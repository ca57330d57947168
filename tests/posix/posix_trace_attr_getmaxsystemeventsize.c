// SPDX-License-Identifier: GPL-2.0
/* PTRC-10 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_getmaxsystemeventsize"

int main(void)
{
	size_t size = 0;
	trace_attr_t a;

	need(posix_trace_attr_init(&a));
	same(RETURNS, posix_trace_attr_getmaxsystemeventsize(&a, &size), 0, "a size is given");
	check(DESCRIPTION, size > 0, "which is not 0: %zu", size);
	/* FILTER has two sets as data */
	check("XSH 2.11.2", size >= 2 * sizeof(trace_event_set_t), "two filters fit in it");
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, posix_trace_attr_getmaxsystemeventsize(&a, &size) == EINVAL,
	       "a destroyed object: EINVAL");
	return done();
}
