/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * kernel_filter.h - expressions of filter.h as programs that the kernel evaluates
 *
 * A program is made for one event type at a time, of one expression or of several, and then
 * given to a session with ktrace_session_filter(). It says of an event what the expression
 * would say on reading; what the kernel cannot tell is refused, with its place in the text.
 *
 * Of a payload only places matter: where a field is, and what it is. They come from the
 * description of a type, or from whoever knows how the kernel lays the event out.
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
	KTRACE_PLACE_CHAR,	/* one character, or an array of them up to a NUL */
	KTRACE_PLACE_STRING,	/* up to a NUL */
	KTRACE_PLACE_FAR,	/* a __u32 says where such a one is: length << 16 | offset */
	KTRACE_PLACE_OTHER,	/* what the kernel does not compare, or where it is is not known */
	KTRACE_PLACE_REL,	/* as KTRACE_PLACE_FAR, the offset is from behind the __u32 on */
};

/**
 * struct ktrace_place - where a field of a payload is
 * @name:	its name
 * @kind:	enum ktrace_place_kind
 * @off:	its first byte
 * @size:	bytes of an element: 1, 2, 4 or 8; of a character 1; of others 0
 * @count:	elements of an array, 0 = it is none
 * @field:	whose names its values have, NULL = none have names
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
 * ktrace_places - where the fields of a type are
 * @type:	the type; must be there as long as the places are
 * @out:	its places, to be freed with free()
 *
 * Return: their number, -ENOMEM.
 */
int ktrace_places(const struct ktrace_event_type *type, struct ktrace_place **out);

/**
 * struct ktrace_program - which events of a type are wanted
 * @is_constant: all, or none: @wanted says which, and there are no steps
 * @wanted:	see there
 * @step_nr:	comparisons
 * @text_size:	bytes of texts
 * @steps:	as KTRACE_IOC_FILTER takes them
 * @texts:	the same
 */
struct ktrace_program {
	bool is_constant;
	bool wanted;
	__u32 step_nr;
	__u32 text_size;
	struct ktrace_match_step steps[KTRACE_MATCH_STEPS_MAX];
	char texts[KTRACE_MATCH_TEXTS_MAX];
};

/** ktrace_program_init - all events of a type, or none, are wanted */
void ktrace_program_init(struct ktrace_program *p, bool wanted);

enum ktrace_join { KTRACE_JOIN_AND, KTRACE_JOIN_OR };

/**
 * ktrace_program_join - what a program says, and, or or, what an expression says
 * @p:		the program, as it is before and will be
 * @join:	enum ktrace_join
 * @f:		the expression; ktrace_filter_unmet() will know what it found
 * @type:	names and number of the event; its fields are not looked at
 * @places:	its fields
 * @place_nr:	how many
 * @error:	filled in with -EINVAL, where in @f's text
 *
 * Return: 0; -EINVAL the kernel cannot tell that, or it would be too long; -ENOMEM.
 */
int ktrace_program_join(struct ktrace_program *p, enum ktrace_join join, struct ktrace_filter *f,
			const struct ktrace_event_type *type, const struct ktrace_place *places,
			__u32 place_nr, struct ktrace_filter_error *error);

/**
 * ktrace_program_filter - what KTRACE_IOC_FILTER takes
 * @p:		the program, there as long as what is returned; one that wants nothing gets a step
 * @id:		the event's number
 */
struct ktrace_kernel_filter ktrace_program_filter(struct ktrace_program *p, __u16 id);

/**
 * ktrace_kernel_filter_parse - ktrace_filter_parse() for the kernel
 *
 * Knows fields of other sources, so that ktrace_program_join() can say what is wrong with them.
 */
int ktrace_kernel_filter_parse(const char *text, struct ktrace_filter **out,
			       struct ktrace_filter_error *error);

/**
 * ktrace_filter_unmet - does a comparison ask for what no type that it was joined for has?
 *
 * That is a field, a name of its values, or the name of an event.
 *
 * @f:		the filter
 * @error:	filled in with 1: where that is
 *
 * Return: 1 or 0.
 */
int ktrace_filter_unmet(const struct ktrace_filter *f, struct ktrace_filter_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
