/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * filter_names.h - numbers that a name in an expression stands for
 *
 * An enumeration has names of its own. Of integers with a sign that have none, the negative
 * values are called as errors are: ENOENT, or -ENOENT, is -2.
 */
#ifndef KTRACE_FILTER_FILTER_NAMES_H
#define KTRACE_FILTER_FILTER_NAMES_H

#include "filter.h"

/**
 * struct name_list - what the values of a field are called
 * @enums:	value and name; a value may have several names, and a name several values
 * @nr:		how many, 0 = values have no names
 * @is_signed:	values are; otherwise they have 64 bits without sign
 * @is_errors:	"-" may be in front of the names
 * @is_calls:	they are those of system calls
 * @calls:	the field, if each ABI has names of its own; a value is then number and ABI, as
 *		ktrace_syscall_pair() has it. NULL otherwise
 */
struct name_list {
	const struct ktrace_enumerator *enums;
	__u32 nr;
	bool is_signed;
	bool is_errors;
	bool is_calls;
	const struct ktrace_field *calls;
};

/**
 * struct name_set - the values for which a comparison with a name is true
 * @is_inverse:	these are those for which it is not
 * @is_pair:	a value is the number and the ABI of a system call
 * @nr:		number of ranges
 * @ranges:	ascending, with a gap between any two
 */
struct name_set {
	bool is_inverse;
	bool is_pair;
	__u32 nr;
	struct name_range {
		__int128 first;
		__int128 last;
	} ranges[];
};

/* Is the literal of a comparison a name? Otherwise it is a number. */
static inline bool is_named(const struct test *t)
{
	return !t->literal.is_number || t->op == OP_GLOB;
}

/* @field: whose names they are, NULL = none of its own */
struct name_list ktrace_names_of(const struct ktrace_field *field, bool is_signed);
/* NULL: no memory */
struct name_set *ktrace_name_set_make(const struct name_list *l, const struct test *t);
bool ktrace_name_set_has(const struct name_set *s, __int128 value);

/* For each type that has the field: notes whether the value can be one there. */
void ktrace_value_check(struct value_check *v, const struct test *t, const struct name_list *l);
/* The same, of a field that is text, or of any other. */
void ktrace_value_check_field(struct value_check *v, const struct test *t,
			      const struct ktrace_field *f);
/* Says what is wrong, with the value's place, if it can be none anywhere. Return: 1 or 0. */
int ktrace_value_unknown(struct value_check *v, const struct test *t,
			 struct ktrace_filter_error *error);

#endif
