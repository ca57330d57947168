/* SPDX-License-Identifier: LGPL-2.1 */
/* filter_expand.h - translate a comparison of an expression for the kernel */
#ifndef KTRACE_FILTER_FILTER_EXPAND_H
#define KTRACE_FILTER_FILTER_EXPAND_H

#include <ktrace/kernel_filter.h>
#include "filter.h"

/**
 * struct expander - a comparison to translate and its context
 * @filter:	the filter
 * @test:	the comparison
 * @type:	type of the event
 * @places:	places of the event's fields
 * @place_nr:	number of @places
 * @error:	filled in if it is refused
 */
struct expander {
	const struct ktrace_filter *filter;
	struct test *test;
	const struct ktrace_event_type *type;
	const struct ktrace_place *places;
	__u32 place_nr;
	struct ktrace_filter_error *error;
};

/**
 * struct expansion - a comparison in the kernel's terms
 * @verdict:	its result if known, otherwise
 * @steps:	steps, whose texts are the test's literal; jump targets are indexes of these steps,
 *		EXPANSION_TRUE or EXPANSION_FALSE
 * @nr:		number of @steps; as a jump target, it means EXPANSION_FALSE
 * @is_inverse:	the comparison is true if the steps are false
 */
#define EXPANSION_TRUE 0xffffu
#define EXPANSION_FALSE 0xfffeu

struct expansion {
	enum verdict verdict;
	struct ktrace_match_step *steps;
	__u32 nr;
	bool is_inverse;
};

/* Suggests the names of the fields that the kernel knows for every event. */
void ktrace_filter_try_known(struct ktrace_nearest *near);

int ktrace_filter_expand(const struct expander *x, struct expansion *e);

#endif
