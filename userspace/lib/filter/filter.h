/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * filter.h - the internals of a filter, shared by its parts
 *
 *   filter_parse.c    compiles text to a program
 *   filter_error.c    reports errors in a text
 *   filter_literal.c  parses values: numbers, times, text
 *   filter_field.c    fields that every event has, and flags
 *   filter_compare.c  compares a value with a literal
 *   filter_names.c    finds the numbers that a name stands for
 *   filter_known.c    checks whether payloads have a field
 *   filter_plan.c     evaluates a program for an event type
 *   filter.c          runs a program
 *   filter_kernel.c   makes a program for the kernel from it
 *   filter_expand.c   translates a comparison for the kernel
 *   filter_places.c   finds the fields of payloads
 *
 * A program has one result bit and a stack of bits. Jumps only go forwards, and only over code that
 * leaves the stack unchanged.
 */
#ifndef KTRACE_FILTER_FILTER_H
#define KTRACE_FILTER_FILTER_H

#include <ktrace/filter.h>
#include <ktrace/nearest.h>

#include <stdarg.h>

#include "base/ip_address.h"

enum filter_op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_GLOB };

/* struct number - an integer, or @real if @is_real; 64 bits with or without sign */
struct number {
	__int128 integer;
	double real;
	bool is_real;
};

/**
 * struct literal - the value that a field is compared with
 * @text:	as written, without quotes; compared with text and used as a glob pattern
 * @len:	bytes of @text
 * @is_number:	true if @number is valid; never for a quoted literal
 * @number:	value as a number
 * @is_address:	true if @address is valid
 * @address:	value as an IP address
 * @single:	@number.real rounded to single precision
 * @when:	value as a time; valid for KTRACE_FILTER_TIME
 * @flag:	enum ktrace_event_flag; valid for KTRACE_FILTER_FLAGS
 */
struct literal {
	char *text;
	size_t len;
	bool is_number;
	struct number number;
	double single;
	bool is_address;
	char address[IP_ADDRESS_SIZE];
	struct ktrace_when when;
	__u32 flag;
};

#define ELEMENT_ALL (~0ull)

/**
 * struct value_check - checks whether a name is the name of any value of a field
 * @is_known:	true for a known name, a number, or a text field
 * @has_names:	values have names of their own
 * @has_errors:	negative values have the names of errors
 * @has_calls:	values are system calls
 * @has_addresses: values are IP addresses
 * @near:	the nearest of the existing names
 */
struct value_check {
	bool is_known;
	bool has_names;
	bool has_errors;
	bool has_calls;
	bool has_addresses;
	struct ktrace_nearest near;
};

/* Owner of a field; sources of the caller follow. */
enum { OWNER_PAYLOAD, OWNER_LIBRARY, OWNER_SOURCE };

/**
 * struct test - one comparison
 * @op:		the operator
 * @owner:	owner of the field
 * @field:	index of the field at its owner, unless it is a payload's
 * @name:	name of a payload's field
 * @at:		place of the field in the text, from 0
 * @line:	its line
 * @column:	column in that line
 * @value_at:	place of the value in the text, from 0
 * @value_line:	its line
 * @value_column: column in that line
 * @element:	which element of an array, ELEMENT_ALL = any
 * @type:	type of the field
 * @literal:	the value to compare with
 * @is_met:	filters for the kernel: an event has the field
 * @near:	filters for the kernel: otherwise, the nearest existing name
 * @values:	filters for the kernel: whether the literal can be a value of the field
 */
struct test {
	enum filter_op op;
	__u32 owner;
	__u32 field;
	char *name;
	size_t at;
	__u32 line;
	__u32 column;
	size_t value_at;
	__u32 value_line;
	__u32 value_column;
	__u64 element;
	enum ktrace_filter_type type;
	struct literal literal;
	bool is_met;
	struct ktrace_nearest near;
	struct value_check values;
};

enum step_op {
	STEP_TEST,	/* bit = test number @arg */
	STEP_AND,	/* if not bit, jump to @arg */
	STEP_OR,	/* if bit, jump to @arg */
	STEP_NOT,	/* bit = not bit */
	STEP_PUSH,	/* push bit on the stack */
	STEP_XOR,	/* bit = bit xor the bit popped from the stack */
};

struct step {
	enum step_op op;
	__u32 arg;
};

struct name_set;

enum verdict { VERDICT_NO, VERDICT_YES, VERDICT_MAYBE };

/**
 * struct check - the remainder of a test for one event type
 * @verdict:	its result if known; otherwise the members below are used
 * @field:	index of the payload's field, if the test has one
 * @from:	the first field to walk from to reach @field
 * @off:	offset of field @from in the payload
 * @names:	values that the literal's name stands for, if the field has names; owned
 */
struct check {
	enum verdict verdict;
	__u32 field;
	__u32 from;
	__u32 off;
	struct name_set *names;
};

/**
 * struct plan - the result of a filter for one event type
 * @type:	the type's address; NULL = not described, then identified by @kind and @id
 * @kind:	kind of its stream
 * @id:		its number
 * @is_used:	true if the slot is in use
 * @verdict:	the result for all events of the type
 * @checks:	indexed by test
 */
struct plan {
	const struct ktrace_event_type *type;
	__u32 kind;
	__u32 id;
	bool is_used;
	enum verdict verdict;
	struct check *checks;
};

/**
 * struct ktrace_filter - see <ktrace/filter.h>
 * @sources:	sources of the caller
 * @source_nr:	number of @sources
 * @tests:	the comparisons
 * @test_nr:	number of @tests
 * @steps:	the program
 * @step_nr:	number of @steps
 * @start:	start of relative times
 * @plans:	hash table by type; its size is a power of two, or 0
 * @plan_cap:	number of slots
 * @plan_nr:	number of slots in use
 * @spare:	used for a type when there is no memory to remember its plan
 */
struct ktrace_filter {
	const struct ktrace_filter_source *sources[KTRACE_FILTER_SOURCES];
	__u32 source_nr;
	struct test *tests;
	__u32 test_nr;
	struct step *steps;
	__u32 step_nr;
	__u64 start;
	struct plan *plans;
	size_t plan_cap;
	size_t plan_nr;
	struct plan spare;
};

/**
 * struct field_value - value of a field that is not a payload's
 * @number:	value of a number, time or set of flags
 * @text:	value of a text, @len bytes
 * @len:	bytes of @text
 * @room:	space for generated texts
 */
struct field_value {
	struct number number;
	const char *text;
	size_t len;
	char room[32];
};

/* Applies step @i to the result bit and the stack, unless it is a test. Returns the next step. */
static inline __u32 ktrace_filter_step(const struct ktrace_filter *f, __u32 i, bool *bit,
				       __u64 *stack)
{
	const struct step *s = &f->steps[i];

	switch (s->op) {
	case STEP_AND:
	case STEP_OR:
		if (*bit != (s->op == STEP_AND))
			return s->arg;
		break;
	case STEP_NOT:
		*bit = !*bit;
		break;
	case STEP_PUSH:
		*stack = *stack << 1 | *bit;
		break;
	case STEP_XOR:
		*bit ^= *stack & 1;
		*stack >>= 1;
		break;
	case STEP_TEST:
		break;
	}
	return i + 1;
}

/* filter_error.c */
__attribute__((format(printf, 2, 0)))
void ktrace_filter_say(struct ktrace_filter_error *error, const char *format, va_list ap);
__attribute__((format(printf, 3, 4)))
int ktrace_filter_refuse(struct ktrace_filter_error *error, const struct test *t,
			 const char *format, ...);
__attribute__((format(printf, 3, 4)))
int ktrace_filter_refuse_value(struct ktrace_filter_error *error, const struct test *t,
			       const char *format, ...);

/* filter_field.c */
int ktrace_filter_find_field(const struct ktrace_filter_field *fields, __u32 nr, const char *name,
			     size_t len);
bool ktrace_filter_field_value(const struct ktrace_filter *f, const struct test *t,
			       const struct ktrace_trace_event *e, struct field_value *v);
bool ktrace_filter_is_of_type(const struct test *t);
bool ktrace_filter_is_learnt(const struct test *t);
bool ktrace_filter_is_event_name(const struct test *t);
__u32 ktrace_filter_flag(const char *name, size_t len);

/* filter_parse.c: @try_fields suggests fields, NULL = ktrace_filter_try_fields(). */
int ktrace_filter_parse_with(const char *text, const struct ktrace_filter_options *opts,
			     void (*try_fields)(struct ktrace_nearest *near),
			     struct ktrace_filter **out, struct ktrace_filter_error *error);
void ktrace_filter_try_fields(const struct ktrace_filter *f, struct ktrace_nearest *near);

/* filter_literal.c */
void ktrace_filter_number(struct literal *l);
int ktrace_filter_unquote(char *text, size_t *len);

/* filter_compare.c */
bool ktrace_filter_compare_text(const struct test *t, const char *s, size_t n);
bool ktrace_filter_compare(const struct test *t, const struct field_value *v, __u64 start);
bool ktrace_filter_compare_payload(const struct test *t, const struct name_set *names,
				   const struct ktrace_value *v);

/* filter_plan.c */
const struct plan *ktrace_filter_plan(struct ktrace_filter *f, const struct ktrace_trace_event *e);

#endif
