/* SPDX-License-Identifier: LGPL-2.1 */
/* filter_expand.h - what a comparison of an expression is for the kernel */
#ifndef KTRACE_FILTER_FILTER_EXPAND_H
#define KTRACE_FILTER_FILTER_EXPAND_H

#include <ktrace/kernel_filter.h>
#include "filter.h"

/**
 * struct expander - a comparison, and what it is about
 * @filter:	whose it is
 * @test:	the comparison
 * @type:	of the event
 * @places:	of its fields
 * @place_nr:	how many
 * @error:	filled in when it is refused
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
 * struct expansion - what it is for the kernel
 * @verdict:	its result if that is known, otherwise
 * @steps:	their texts are the test's; where to go on is a number among these, or one of
 *		EXPANSION_TRUE and EXPANSION_FALSE
 * @nr:		how many; to go on there is EXPANSION_FALSE, too
 * @is_inverse:	it is true if they say false
 */
#define EXPANSION_TRUE 0xffffu
#define EXPANSION_FALSE 0xfffeu

struct expansion {
	enum verdict verdict;
	struct ktrace_match_step *steps;
	__u32 nr;
	bool is_inverse;
};

/* Names of fields that the kernel knows of every event */
void ktrace_filter_try_known(struct ktrace_nearest *near);

int ktrace_filter_expand(const struct expander *x, struct expansion *e);

#endif
