// SPDX-License-Identifier: GPL-2.0
/* PTRC-14 */
#define PAGE "XSH posix_trace_attr_setlogfullpolicy"
#include "attributes.h"

int main(void)
{
	static const int values[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				     POSIX_TRACE_APPEND };
	static const struct policy p = {
		posix_trace_attr_getlogfullpolicy,
		posix_trace_attr_setlogfullpolicy, values, 3
	};

	set_policy(&p);
	return done();
}
