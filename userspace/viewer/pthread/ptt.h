/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ptt.h - the events of libktrace-pthread as those of the POSIX Threads Trace Toolkit
 *
 * One event of ours stands for up to PTT_EVENTS_MAX of PTT's, with the same stamp, in the order
 * of a table in ptt.c. How many are left at a barrier, and how often a thread has a mutex, is
 * learnt from earlier events (ptt_learn.c); what those did not tell is left out, not guessed.
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
 * struct ptt_event - one event of PTT's
 * @kind:	its type
 * @nr:		how many arguments
 * @args:	what it is about comes first, the result last; each names its field
 * @number:	where an argument lies that is not in the payload
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

/* Fields by what they mean for all events */
enum ptt_role { PTT_RESULT, PTT_OWNER, PTT_COUNT, PTT_ROLE_NR };

/**
 * struct ptt_recipe - what is to be done for events of one type; remembered by its address
 * @type:	the type
 * @call:	the beginning of the call; the end is behind it
 * @learn:	what is to be kept; NULL = nothing
 * @steps:	what to put together; NULL = it is none of pthread's
 * @is_out:	it tells of the end of a call only
 * @at:		number of the field, PTT_VALUES_MAX = there is none
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
 * struct ptt - what is known, and the event at hand
 * @recipes:	by address of the type
 * @kinds:	types of PTT's events
 * @barriers:	those that were seen to be initialized
 * @mutexes:	those that a thread had more than once
 * @arrivals:	threads at barriers
 * @recipe:	of the event at hand; NULL = it is none of pthread's
 * @event:	the event at hand
 * @values:	its fields
 * @value_nr:	how many
 * @is_known:	@left is
 * @left:	at the barrier of the event at hand
 * @is_last:	the thread that arrives or leaves did not have to wait
 * @count:	how often the thread has the mutex that it waits without; 0 = once, as far as
 *		is known
 * @error:	-ENOMEM, once there was no memory
 * @events:	what it stands for
 * @nr:		how many
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
/* To be told of each event, in order, whether it is wanted or not. */
void ptt_see(struct ptt *p, const struct ktrace_trace_event *e);
/* Makes @events of the event that was seen last; how many, 0 = it is none of pthread's. */
__u32 ptt_expand(struct ptt *p);

/* Of the event at hand: a field's number; @missing if it does not have it */
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
