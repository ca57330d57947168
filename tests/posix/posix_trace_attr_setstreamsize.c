// SPDX-License-Identifier: GPL-2.0
/* PTRC-09 */
#define PAGE "XSH posix_trace_attr_setstreamsize"
#include "attributes.h"

int main(void)
{
	static const struct size s = { posix_trace_attr_getstreamsize,
				      posix_trace_attr_setstreamsize };

	set_size(&s);
	return done();
}
