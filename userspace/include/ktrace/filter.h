/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * filter.h - select events of a traceset: expressions over their fields
 *
 * The language is described in Documentation/filter.md. In short:
 *
 *   expression = "(" expression ")" | "!" expression | field op value
 *              | expression "&&" expression     binds more than "^"
 *              | expression "^" expression      exclusive or, binds more than "||"
 *              | expression "||" expression
 *   op         = "==" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" (glob)
 *
 *   event ~ sched:* && (comm == xz || prev_tid = 17) && time >= 1.5s
 *
 * A comparison with a field that the event does not have is false, even with "!="; so is an invalid
 * one, such as a number with text.
 *
 * An expression is compiled to a program that only jumps forwards. The result for an event type is
 * computed when the type is first met. Types are identified by address, so a filter works with one
 * traceset only, which must outlive the filter.
 */
#ifndef KTRACE_FILTER_H
#define KTRACE_FILTER_H

#include <ktrace/nearest.h>
#include <ktrace/traceset.h>
#include <ktrace/when.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_filter;

enum ktrace_filter_type {
	KTRACE_FILTER_NUMBER,	/* compared with numbers */
	KTRACE_FILTER_TEXT,	/* "==", "!=" and "~" only */
	KTRACE_FILTER_TIME,	/* number: ns since the epoch; compared with times, see when.h */
	KTRACE_FILTER_FLAGS,	/* "==": has this flag, "!=": does not have it */
	KTRACE_FILTER_ANY,	/* field of a payload: its type depends on the event */
};

/**
 * struct ktrace_filter_field - a field that events have besides their payload
 * @name:	its name, beginning with the prefix of its source
 * @help:	description for people
 * @type:	what it can be compared with; never KTRACE_FILTER_FLAGS, _ANY
 */
struct ktrace_filter_field {
	const char *name;
	const char *help;
	enum ktrace_filter_type type;
};

/**
 * struct ktrace_filter_value - value of such a field
 * @number:	value of a number or time
 * @text:	value of a text, @len bytes, valid until the next call
 * @len:	bytes of @text
 */
struct ktrace_filter_value {
	__s64 number;
	const char *text;
	size_t len;
};

/**
 * struct ktrace_filter_source - extra fields supplied by the caller, such as state.*
 * @prefix:	start of their names: "state."
 * @fields:	the fields
 * @field_nr:	number of fields
 * @values:	for each field, its only possible texts, ended by NULL; NULL = any. An expression
 *		that compares the field by "==" or "!=" with another text is refused. May be NULL
 * @get:	returns fields[i] of an event in value; false if the event has none
 * @arg:	for @get; may be set after the expression has been parsed
 */
struct ktrace_filter_source {
	const char *prefix;
	const struct ktrace_filter_field *fields;
	__u32 field_nr;
	const char *const *const *values;
	bool (*get)(void *arg, __u32 i, const struct ktrace_trace_event *event,
		    struct ktrace_filter_value *value);
	void *arg;
};

#define KTRACE_FILTER_SOURCES 8u

/**
 * struct ktrace_filter_options - may be NULL for the defaults
 * @size:	sizeof(struct ktrace_filter_options)
 * @sources:	extra fields; must outlive the filter
 * @source_nr:	number of @sources, at most KTRACE_FILTER_SOURCES
 */
struct ktrace_filter_options {
	size_t size;
	const struct ktrace_filter_source *const *sources;
	__u32 source_nr;
};

/**
 * struct ktrace_filter_error - why an expression was refused
 * @at:		first wrong byte of the text, from 0
 * @line:	its line, from 1
 * @column:	its position in the line, from 1
 * @message:	what was expected or is wrong, without newline; printable ASCII
 */
struct ktrace_filter_error {
	size_t at;
	__u32 line;
	__u32 column;
	char message[160];
};

#define KTRACE_FILTER_TEXT_MAX 65536u
#define KTRACE_FILTER_TESTS_MAX 4096u
#define KTRACE_FILTER_DEPTH_MAX 64u

/**
 * ktrace_filter_parse - create a filter from an expression
 * @text:	the expression
 * @opts:	see the struct
 * @out:	the filter, to be freed with ktrace_filter_free()
 * @error:	filled in if -EINVAL is returned; may be NULL
 *
 * Return: 0; -EINVAL if the text is not an expression, exceeds the limits above, or @opts has an
 * unknown size; -ENOMEM.
 */
int ktrace_filter_parse(const char *text, const struct ktrace_filter_options *opts,
			struct ktrace_filter **out, struct ktrace_filter_error *error);

/** ktrace_filter_free - free a filter; NULL is allowed */
void ktrace_filter_free(struct ktrace_filter *f);

/**
 * ktrace_filter_start - set the start of the trace, which relative times refer to
 * @f:		the filter
 * @ns:		time of the first event, from ktrace_traceset_span(); 0 until then
 */
void ktrace_filter_start(struct ktrace_filter *f, __u64 ns);

/**
 * ktrace_filter_match - true if the event is selected
 *
 * The event must be the last one delivered, or one of the last ktrace_traceset_read(). Without
 * memory to remember types, matching is slower.
 */
bool ktrace_filter_match(struct ktrace_filter *f, const struct ktrace_trace_event *event);

/**
 * ktrace_filter_uses - true if the expression uses a field of @source
 *
 * With NULL: true if it uses pid or comm. Skipped events do not update these, see
 * ktrace_trace_comm().
 */
bool ktrace_filter_uses(const struct ktrace_filter *f, const struct ktrace_filter_source *source);

/**
 * ktrace_filter_unknown - check a comparison for an unknown field, event or value name
 * @f:		the filter
 * @set:	the files; fields they have not described yet are unknown
 * @i:		number of the comparison, from 0
 * @error:	filled in if 1, 2 or 3 is returned: the place, and a suggestion
 *
 * Return: 1 no described payload has such a field; 2 the payloads with that field have no value of
 * that name; 3 no described event is called so; 0 none of these; -ENOENT if there are not so many
 * comparisons.
 */
int ktrace_filter_unknown(const struct ktrace_filter *f, const struct ktrace_traceset *set,
			  __u32 i, struct ktrace_filter_error *error);

/**
 * ktrace_calls_is - true if a pattern of -e may mean system calls: "syscall:open*"
 *
 * False for "syscall:enter", "syscall:exit" and patterns that match both: these are events.
 */
bool ktrace_calls_is(const char *pattern);

/** ktrace_calls_are_events - true if such a pattern also matches the name of one event */
bool ktrace_calls_are_events(const char *pattern);

/**
 * ktrace_calls_expression - build the expression that selects the syscall events of such a pattern
 *
 * Return: an expression, to be freed; NULL if it is not such a pattern, or without memory.
 */
char *ktrace_calls_expression(const char *pattern);

/**
 * ktrace_calls_exist - true if a machine has a call that such a pattern matches
 * @pattern:	any pattern
 * @machine:	as in uname(2)
 * @has_x32:	the machine's kernel has x32 system calls
 * @near:	set to the nearest name if there is none; valid as long as @pattern is
 */
bool ktrace_calls_exist(const char *pattern, const char *machine, bool has_x32,
			struct ktrace_nearest *near);

/**
 * ktrace_filter_fields - list the fields that every filter knows, except those of payloads
 * @nr:		out: number of fields
 *
 * Return: the fields; flags have the names that ktrace list prints.
 */
const struct ktrace_filter_field *ktrace_filter_fields(__u32 *nr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
