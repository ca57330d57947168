// SPDX-License-Identifier: GPL-2.0
/* PTRC-12 */
#define PAGE "XSH posix_trace_attr_getmaxdatasize"
#include "attributes.h"

static void of_streams(void)
{
	trace_attr_t a;
	trace_id_t trid;
	size_t value = 0;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setmaxdatasize(&a, 100));
	need(posix_trace_create(0, &a, &trid));
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getmaxdatasize(&a, &value));
	choice(DESCRIPTION, value == 100, "a stream has what was set: %zu", value);
	need(posix_trace_shutdown(trid));
	need(posix_trace_attr_destroy(&a));
}

int main(void)
{
	static const struct size s = { posix_trace_attr_getmaxdatasize,
				      posix_trace_attr_setmaxdatasize };

	get_size(&s);
	of_streams();
	return done();
}
