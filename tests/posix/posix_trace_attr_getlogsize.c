// SPDX-License-Identifier: GPL-2.0
/* PTRC-13 */
#define PAGE "XSH posix_trace_attr_getlogsize"
#include "attributes.h"

int main(void)
{
	static const struct size s = { posix_trace_attr_getlogsize, posix_trace_attr_setlogsize };

	get_size(&s);
	return done();
}
