/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * filter.h - a filter, as its parts see it
 *
 *   filter_parse.c    text becomes a program
 *   filter_error.c    what is wrong with a text
 *   filter_literal.c  values as they are written: numbers, times, text
 *   filter_field.c    fields that every event has, and flags
 *   filter_compare.c  is this value equal, less, like that?
 *   filter_names.c    numbers that a name stands for
 *   filter_known.c    which fields of payloads there are
 *   filter_plan.c     what a program says about an event type
 *   filter.c          runs it
 *   filter_kernel.c   a program for the kernel of it
 *   filter_expand.c   what a comparison is there
 *   filter_places.c   where fields of a payload are
 *
 * A program has one result bit and a stack of bits. Jumps go forwards only, over as much as
 * leaves the stack as it was.
 */
#ifndef KTRACE_FILTER_FILTER_H
#define KTRACE_FILTER_FILTER_H

#include <ktrace/filter.h>
#include <ktrace/nearest.h>

#include <stdarg.h>

enum filter_op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_GLOB };

/* struct number - an integer, or @real if @is_real; 64 bits with or without sign */
struct number {
	__int128 integer;
	double real;
	bool is_real;
};

/**
 * struct literal - the value that a field is compared with
 * @text:	as written, without quotes; what glob patterns and text are compared with
 * @len:	bytes
 * @is_number:	@number has it; never for what was in quotes
 * @number:	as a number
 * @single:	@number.real rounded to single precision
 * @when:	as a time; valid for KTRACE_FILTER_TIME
 * @flag:	enum ktrace_event_flag; valid for KTRACE_FILTER_FLAGS
 */
struct literal {
	char *text;
	size_t len;
	bool is_number;
	struct number number;
	double single;
	struct ktrace_when when;
	__u32 flag;
};

#define ELEMENT_ALL (~0ull)

/**
 * struct value_check - is a name that a field is compared with the name of any value?
 * @is_known:	yes, or it is a number, or the field is text
 * @has_names:	values have names of their own
 * @has_errors:	the negative ones have those of errors
 * @has_calls:	they are system calls
 * @near:	the nearest of these names
 */
struct value_check {
	bool is_known;
	bool has_names;
	bool has_errors;
	bool has_calls;
	struct ktrace_nearest near;
};

/* Whose field it is; sources of the caller follow. */
enum { OWNER_PAYLOAD, OWNER_LIBRARY, OWNER_SOURCE };

/**
 * struct test - one comparison
 * @op:		how
 * @owner:	whose field
 * @field:	its number there, if it is none of the payload
 * @name:	name of a payload's field
 * @at:		where the field is in the text, from 0
 * @line:	its line
 * @column:	its place there
 * @value_at:	the same of what it is compared with
 * @value_line:	the same
 * @value_column: the same
 * @element:	which element of an array, ELEMENT_ALL = any
 * @type:	of the field
 * @literal:	what it is compared with
 * @is_met:	there is an event that has the field; of filters for the kernel
 * @near:	if not, what those have instead
 * @values:	and what it is compared with can be its value
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
	STEP_AND,	/* if not bit, go on at @arg */
	STEP_OR,	/* if bit, go on at @arg */
	STEP_NOT,	/* bit = not bit */
	STEP_PUSH,	/* bit to the stack */
	STEP_XOR,	/* bit = bit xor the one taken from the stack */
};

struct step {
	enum step_op op;
	__u32 arg;
};

struct name_set;

enum verdict { VERDICT_NO, VERDICT_YES, VERDICT_MAYBE };

/**
 * struct check - what is left of a test for one event type
 * @verdict:	its result if that is known; otherwise
 * @field:	field of the payload, if it is about one
 * @from:	the first field to walk from to reach it
 * @off:	where that one begins in the payload
 * @names:	values that a name stands for, if the field's have names; its own
 */
struct check {
	enum verdict verdict;
	__u32 field;
	__u32 from;
	__u32 off;
	struct name_set *names;
};

/**
 * struct plan - what the filter says about one event type
 * @type:	its address; NULL = not described, then kind and id tell which
 * @kind:	of its stream
 * @id:		its number
 * @is_used:	there is one in this slot
 * @verdict:	on all events of the type
 * @checks:	by test
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
 * @sources:	of the caller
 * @source_nr:	how many
 * @tests:	comparisons
 * @test_nr:	how many
 * @steps:	the program
 * @step_nr:	how many
 * @start:	what relative times count from
 * @plans:	hash table by type, a power of two of slots or none
 * @plan_cap:	slots
 * @plan_nr:	slots in use
 * @spare:	for a type that there is no memory to remember
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
 * struct field_value - value of a field that is not one of the payload
 * @number:	of a number, time or set of flags
 * @text:	of a text, @len bytes
 * @len:	bytes
 * @room:	for texts that are put together
 */
struct field_value {
	struct number number;
	const char *text;
	size_t len;
	char room[32];
};

/*
 * What step @i does to the result bit and the stack, if it is no test. Returns where to go on.
 */
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

/* filter_parse.c: @try_fields tries the fields that there are, NULL = as the second one does. */
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
