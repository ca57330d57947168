// SPDX-License-Identifier: GPL-2.0
/* PTRC-14 */
#define PAGE "XSH posix_trace_attr_setinherited"
#include "attributes.h"

int main(void)
{
	static const int values[] = { POSIX_TRACE_CLOSE_FOR_CHILD, POSIX_TRACE_INHERITED };
	static const struct policy p = {
		posix_trace_attr_getinherited,
		posix_trace_attr_setinherited, values, 2
	};

	set_policy(&p);
	return done();
}
