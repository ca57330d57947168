// SPDX-License-Identifier: GPL-2.0
/* PTRC-09 */
#define PAGE "XSH posix_trace_attr_getstreamsize"
#include "attributes.h"

static void of_streams(void)
{
	trace_attr_t a;
	trace_id_t trid;
	size_t value = 0;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setstreamsize(&a, 100000));
	need(posix_trace_create(0, &a, &trid));
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getstreamsize(&a, &value));
	check(DESCRIPTION, value >= 100000, "a stream has what was asked for, or more: %zu", value);
	need(posix_trace_shutdown(trid));
	need(posix_trace_attr_destroy(&a));
}

int main(void)
{
	static const struct size s = { posix_trace_attr_getstreamsize,
				      posix_trace_attr_setstreamsize };

	get_size(&s);
	of_streams();
	return done();
}
