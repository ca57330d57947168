// SPDX-License-Identifier: LGPL-2.1
/*
 * kernel_filter.c - parse an expression for the kernel to evaluate
 *
 * This file is in lib/state because a refusal names the field, and the fields of states are known
 * here; the kernel has none of them.
 */
#include <ktrace/kernel_filter.h>
#include <ktrace/state.h>

#include "filter/filter.h"
#include "filter/filter_expand.h"

int ktrace_kernel_filter_parse(const char *text, struct ktrace_filter **out,
			       struct ktrace_filter_error *error)
{
	static struct ktrace_filter_source state;
	static const struct ktrace_filter_source *const sources[] = { &state };
	const struct ktrace_filter_options opts = {
		.size = sizeof(opts), .sources = sources, .source_nr = 1,
	};

	ktrace_state_source(NULL, &state);
	return ktrace_filter_parse_with(text, &opts, ktrace_filter_try_known, out, error);
}
