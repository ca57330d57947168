/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * kernel_filter.h - expressions of filter.h as programs that the kernel evaluates
 *
 * A program is made for one event type at a time, from one or more expressions, and then passed to
 * a session with ktrace_session_filter(). It accepts the same events as the expression would on
 * reading. Anything the kernel cannot evaluate is refused, with its place in the text.
 *
 * For a payload, only the place and kind of each field matter. They come from the description of a
 * type, or from any code that knows the kernel's layout of the event.
 */
#ifndef KTRACE_KERNEL_FILTER_H
#define KTRACE_KERNEL_FILTER_H

#include <ktrace/decode.h>
#include <ktrace/filter.h>
#include <linux/ktrace.h>
#include <linux/ktrace_match.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ktrace_place_kind {
	KTRACE_PLACE_UNSIGNED,
	KTRACE_PLACE_SIGNED,
	KTRACE_PLACE_CHAR,	/* one character, or an array of characters that ends at a NUL */
	KTRACE_PLACE_STRING,	/* up to a NUL */
	KTRACE_PLACE_FAR,	/* a __u32 locates such a string: length << 16 | offset */
	KTRACE_PLACE_OTHER,	/* the kernel cannot compare it, or its place is unknown */
	KTRACE_PLACE_REL,	/* as _FAR, but the offset counts from the end of the __u32 */
};

/**
 * struct ktrace_place - where a field of a payload is
 * @name:	its name
 * @kind:	enum ktrace_place_kind
 * @off:	offset of its first byte
 * @size:	bytes of an element: 1, 2, 4 or 8; 1 for a character; 0 for others
 * @count:	elements of an array, 0 = not an array
 * @field:	the field if its values have names or are IP addresses, NULL = neither
 */
struct ktrace_place {
	const char *name;
	enum ktrace_place_kind kind;
	__u32 off;
	__u32 size;
	__u32 count;
	const struct ktrace_field *field;
};

/**
 * ktrace_places - find where the fields of a type are
 * @type:	the type; must outlive the places
 * @out:	out: its places, to be freed with free()
 *
 * Return: their number, -ENOMEM.
 */
int ktrace_places(const struct ktrace_event_type *type, struct ktrace_place **out);

/**
 * struct ktrace_program - a compiled filter for the events of a type
 * @is_constant: true: accepts all or none, as @wanted says, and has no steps
 * @wanted:	the constant result
 * @step_nr:	number of comparisons
 * @text_size:	bytes of texts
 * @steps:	in the format of KTRACE_IOC_FILTER
 * @texts:	likewise
 */
struct ktrace_program {
	bool is_constant;
	bool wanted;
	__u32 step_nr;
	__u32 text_size;
	struct ktrace_match_step steps[KTRACE_MATCH_STEPS_MAX];
	char texts[KTRACE_MATCH_TEXTS_MAX];
};

/** ktrace_program_init - accept all events of a type, or none */
void ktrace_program_init(struct ktrace_program *p, bool wanted);

enum ktrace_join { KTRACE_JOIN_AND, KTRACE_JOIN_OR };

/**
 * ktrace_program_join - combine a program with an expression
 * @p:		in and out: the program
 * @join:	enum ktrace_join
 * @f:		the expression; records the result for ktrace_filter_unmet()
 * @type:	names and number of the event; its fields are ignored
 * @places:	the event's fields
 * @place_nr:	number of @places
 * @error:	filled in if -EINVAL is returned, with the place in @f's text
 *
 * Return: 0; -EINVAL if the kernel cannot evaluate it, or it would be too long; -ENOMEM.
 */
int ktrace_program_join(struct ktrace_program *p, enum ktrace_join join, struct ktrace_filter *f,
			const struct ktrace_event_type *type, const struct ktrace_place *places,
			__u32 place_nr, struct ktrace_filter_error *error);

/**
 * ktrace_program_filter - build the argument of KTRACE_IOC_FILTER
 * @p:		the program; must outlive the result; gets one step if it accepts nothing
 * @id:		the event's number
 */
struct ktrace_kernel_filter ktrace_program_filter(struct ktrace_program *p, __u16 id);

/**
 * ktrace_kernel_filter_parse - parse an expression for the kernel, like ktrace_filter_parse()
 *
 * Accepts fields of other sources, so that ktrace_program_join() can explain why they fail.
 */
int ktrace_kernel_filter_parse(const char *text, struct ktrace_filter **out,
			       struct ktrace_filter_error *error);

/**
 * ktrace_filter_unmet - check for a comparison that no joined type could satisfy
 *
 * Its field, the name of its value, or the name of an event is missing in all of them.
 *
 * @f:		the filter
 * @error:	filled in if 1 is returned: the place
 *
 * Return: 1 if there is such a comparison, 0 otherwise.
 */
int ktrace_filter_unmet(const struct ktrace_filter *f, struct ktrace_filter_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
