// SPDX-License-Identifier: GPL-2.0
/* PTRC-12 */
#define PAGE "XSH posix_trace_attr_setmaxdatasize"
#include "attributes.h"

int main(void)
{
	static const struct size s = { posix_trace_attr_getmaxdatasize,
				      posix_trace_attr_setmaxdatasize };

	set_size(&s);
	return done();
}
