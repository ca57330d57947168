/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * filter_names.h - find the numbers that a name in an expression stands for
 *
 * An enumeration has its own names. For signed integers without names, negative values have the
 * names of errors: ENOENT, or -ENOENT, is -2.
 */
#ifndef KTRACE_FILTER_FILTER_NAMES_H
#define KTRACE_FILTER_FILTER_NAMES_H

#include "filter.h"

/**
 * struct name_list - the names of a field's values
 * @enums:	values and names; a value may have several names, and a name several values
 * @nr:		number of @enums, 0 = values have no names
 * @is_signed:	true if values are signed; otherwise they are unsigned 64-bit values
 * @is_errors:	the names may be preceded by "-"
 * @is_calls:	the names are those of system calls
 * @calls:	the field, if each ABI has its own names; a value is then number and ABI, as in
 *		ktrace_syscall_pair(). NULL otherwise
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
 * @is_inverse:	true if the ranges are the values for which the comparison is false
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

/* True if the literal of a comparison is a name rather than a number. */
static inline bool is_named(const struct test *t)
{
	return !t->literal.is_number || t->op == OP_GLOB;
}

/* True if the test compares an address with an address. @field: may be NULL */
static inline bool is_of_address(const struct test *t, const struct ktrace_field *field)
{
	return field && field->is_address && t->element == ELEMENT_ALL;
}

/* @field: the field with the names, NULL = it has none */
struct name_list ktrace_names_of(const struct ktrace_field *field, bool is_signed);
/* Returns NULL without memory. */
struct name_set *ktrace_name_set_make(const struct name_list *l, const struct test *t);
bool ktrace_name_set_has(const struct name_set *s, __int128 value);

/* Notes whether a type's field can have the value; called for each type that has the field. */
void ktrace_value_check(struct value_check *v, const struct test *t, const struct name_list *l);
/* Does the same for a field that is an address. */
void ktrace_value_check_address(struct value_check *v, const struct test *t);
/* Does the same for any field, including text and addresses. */
void ktrace_value_check_field(struct value_check *v, const struct test *t,
			      const struct ktrace_field *f);
/* Reports the value with its place if no field can have it. Returns 1 if so, otherwise 0. */
int ktrace_value_unknown(struct value_check *v, const struct test *t,
			 struct ktrace_filter_error *error);

#endif
