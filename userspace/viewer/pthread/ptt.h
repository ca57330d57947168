/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ptt.h - translates events of libktrace-pthread to those of the POSIX Threads Trace Toolkit
 *
 * One event of ours stands for up to PTT_EVENTS_MAX of PTT's, with the same stamp, in the order of
 * a table in ptt.c. The number of threads left at a barrier, and how often a thread has locked a
 * mutex, are learnt from earlier events (ptt_learn.c); what those did not tell is left out, not
 * guessed.
 */
#ifndef VIEWER_PTHREAD_PTT_H
#define VIEWER_PTHREAD_PTT_H

#include <ktrace/traceset.h>

#include "base/hash_table.h"
#include "ptt_kind.h"

#define PTT_EVENTS_MAX 6u
#define PTT_ARGS_MAX 5u
#define PTT_VALUES_MAX 6u
#define PTT_RECIPE_NR 256u

/**
 * struct ptt_event - one event of PTT
 * @kind:	its type
 * @nr:		number of arguments
 * @args:	the object comes first, the result last; each names its field
 * @number:	storage for an argument that is not in the payload
 * @own:	that argument
 */
struct ptt_event {
	const struct ptt_kind *kind;
	__u32 nr;
	const struct ktrace_value *args[PTT_ARGS_MAX];
	__u32 number;
	struct ktrace_value own;
};

struct ptt;
typedef void (*ptt_step)(struct ptt *p);

/* Roles of fields that all events share */
enum ptt_role { PTT_RESULT, PTT_OWNER, PTT_COUNT, PTT_ROLE_NR };

/**
 * struct ptt_recipe - how to translate events of one type; cached by its address
 * @type:	the type
 * @call:	type of the call's beginning; that of its end follows it
 * @learn:	updates what is known; NULL = nothing to do
 * @steps:	steps that make the events; NULL = not an event of pthread
 * @is_out:	it describes only the end of a call
 * @at:		number of the field by role, PTT_VALUES_MAX = there is none
 * @in:		bits: fields that the beginning of the call has
 * @out:	bits: fields that the end of it has
 */
struct ptt_recipe {
	const struct ktrace_event_type *type;
	const struct ptt_kind *call;
	void (*learn)(struct ptt *p);
	const ptt_step *steps;
	bool is_out;
	__u32 at[PTT_ROLE_NR];
	__u32 in;
	__u32 out;
};

/**
 * struct ptt - what is known, and the current event
 * @recipes:	by address of the type
 * @kinds:	types of PTT's events
 * @barriers:	those whose initialisation was seen
 * @mutexes:	those that a thread has locked more than once
 * @arrivals:	threads at barriers
 * @recipe:	recipe of the current event; NULL = not an event of pthread
 * @event:	the current event
 * @values:	its fields
 * @value_nr:	number of these
 * @is_known:	@left is known
 * @left:	number left at the barrier of the current event
 * @is_last:	the arriving or leaving thread did not have to wait
 * @count:	how often the thread had locked the mutex of a condition wait; 0 = once, as far as
 *		is known
 * @error:	-ENOMEM after an allocation failed
 * @events:	the events it stands for
 * @nr:		number of @events
 */
struct ptt {
	struct ptt_recipe recipes[PTT_RECIPE_NR];
	const struct ptt_kind *kinds;
	struct hash_table barriers;
	struct hash_table mutexes;
	struct hash_table arrivals;
	const struct ptt_recipe *recipe;
	const struct ktrace_trace_event *event;
	struct ktrace_value values[PTT_VALUES_MAX];
	__u32 value_nr;
	bool is_known;
	__u32 left;
	bool is_last;
	__u32 count;
	int error;
	struct ptt_event events[PTT_EVENTS_MAX];
	__u32 nr;
};

void ptt_init(struct ptt *p);
void ptt_free(struct ptt *p);
/* Called for each event, in order, whether it is wanted or not. */
void ptt_see(struct ptt *p, const struct ktrace_trace_event *e);
/* Translates the last seen event to @events. Returns their number, 0 = not an event of pthread. */
__u32 ptt_expand(struct ptt *p);

/* Returns field @i of the current event as a number; @missing if it has no such field. */
static inline __s64 ptt_number(const struct ptt *p, __u32 i, __s64 missing)
{
	const struct ktrace_value *v = &p->values[i];

	return i < p->value_nr && v->field->shape == KTRACE_ONE && v->count ?
	       ktrace_value_s64(v, 0) : missing;
}

static inline __s64 ptt_role(const struct ptt *p, enum ptt_role role, __s64 missing)
{
	return ptt_number(p, p->recipe->at[role], missing);
}

#endif
