/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * filter.h - which events of a traceset are wanted: expressions over their fields
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
 * A comparison with a field that the event does not have is false, with "!=" too; so is
 * one that makes no sense for it, as of a number with text.
 *
 * An expression becomes a program that jumps forwards only. What it says about an event
 * type is worked out when the type is met first; types are known by address, so a filter
 * is used with one traceset, which must be there as long as the filter is.
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
	KTRACE_FILTER_ANY,	/* field of a payload: what it is depends on the event */
};

/**
 * struct ktrace_filter_field - a field that events have beside their payload
 * @name:	its name, beginning with the prefix of its source
 * @help:	what it is, for people
 * @type:	what it can be compared with; not KTRACE_FILTER_FLAGS, _ANY
 */
struct ktrace_filter_field {
	const char *name;
	const char *help;
	enum ktrace_filter_type type;
};

/**
 * struct ktrace_filter_value - value of such a field
 * @number:	of a number or time
 * @text:	of a text, @len bytes, valid until the next call
 * @len:	bytes
 */
struct ktrace_filter_value {
	__s64 number;
	const char *text;
	size_t len;
};

/**
 * struct ktrace_filter_source - fields that the caller adds, as state.* are
 * @prefix:	names that begin so belong to it: "state."
 * @fields:	its fields
 * @field_nr:	how many
 * @values:	for each field the only texts that it can be, NULL behind the last; NULL = any.
 *		An expression that compares it by "==" or "!=" with another is refused. May be NULL
 * @get:	value of fields[i] for an event; false: it has none
 * @arg:	for @get; may be set when the expression was parsed already
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
 * @sources:	further fields; must be there as long as the filter is
 * @source_nr:	how many, at most KTRACE_FILTER_SOURCES
 */
struct ktrace_filter_options {
	size_t size;
	const struct ktrace_filter_source *const *sources;
	__u32 source_nr;
};

/**
 * struct ktrace_filter_error - why an expression was refused
 * @at:		the byte of the text that does not fit, from 0
 * @line:	its line, from 1
 * @column:	its place in the line, from 1
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
 * ktrace_filter_parse - make a filter of an expression
 * @text:	the expression
 * @opts:	see the struct
 * @out:	the filter, to be freed with ktrace_filter_free()
 * @error:	filled in with -EINVAL; may be NULL
 *
 * Return: 0; -EINVAL the text is no expression, or larger or deeper than the limits above;
 * or opts of an unknown size; -ENOMEM.
 */
int ktrace_filter_parse(const char *text, const struct ktrace_filter_options *opts,
			struct ktrace_filter **out, struct ktrace_filter_error *error);

/** ktrace_filter_free - free a filter, or NULL */
void ktrace_filter_free(struct ktrace_filter *f);

/**
 * ktrace_filter_start - what times since the start of the trace count from
 * @f:		the filter
 * @ns:		time of the first event, as of ktrace_traceset_span(); 0 until then
 */
void ktrace_filter_start(struct ktrace_filter *f, __u64 ns);

/**
 * ktrace_filter_match - is the event wanted?
 *
 * The event is one that was delivered last, or one of those of ktrace_traceset_read().
 * Without memory to remember types it is slower.
 */
bool ktrace_filter_match(struct ktrace_filter *f, const struct ktrace_trace_event *event);

/**
 * ktrace_filter_uses - does the expression have a field of @source?
 *
 * NULL: does it have pid or comm? What is passed over does not tell them, see ktrace_trace_comm().
 */
bool ktrace_filter_uses(const struct ktrace_filter *f, const struct ktrace_filter_source *source);

/**
 * ktrace_filter_unknown - does a comparison ask for a field that no event has, or a value?
 * @f:		the filter
 * @set:	the files; what they have not described yet is not known
 * @i:		number of the comparison, from 0
 * @error:	filled in with 1 and 2: where that is, and what may have been meant
 *
 * Return: 1 no payload that is described has such a field; 2 those that have it have no value
 * of that name; 0 neither, or it is none of the payload; -ENOENT there are not so many
 * comparisons.
 */
int ktrace_filter_unknown(const struct ktrace_filter *f, const struct ktrace_traceset *set,
			  __u32 i, struct ktrace_filter_error *error);

/**
 * ktrace_calls_is - may a pattern of -e mean system calls: "syscall:openat", "syscall:open*"?
 *
 * Not so "syscall:enter", "syscall:exit" and what matches both: these are events.
 */
bool ktrace_calls_is(const char *pattern);

/** ktrace_calls_are_events - does such a pattern match the name of one event, too? */
bool ktrace_calls_are_events(const char *pattern);

/**
 * ktrace_calls_expression - which events of family syscall such a pattern means
 *
 * Return: an expression, to be freed; NULL: it is no such pattern, or there is no memory.
 */
char *ktrace_calls_expression(const char *pattern);

/**
 * ktrace_calls_exist - does a machine have a call that such a pattern matches?
 * @pattern:	any pattern
 * @machine:	as uname(2) names it
 * @has_x32:	its kernel has calls of x32
 * @near:	set to the nearest name otherwise; valid as long as @pattern is
 */
bool ktrace_calls_exist(const char *pattern, const char *machine, bool has_x32,
			struct ktrace_nearest *near);

/**
 * ktrace_filter_fields - fields that every filter knows, payloads apart
 * @nr:		their number
 *
 * Return: the fields; the names of flags are those that ktrace list prints.
 */
const struct ktrace_filter_field *ktrace_filter_fields(__u32 *nr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
