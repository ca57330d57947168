/* SPDX-License-Identifier: GPL-2.0 */
/* event_select.h - selects the events that a command shows */
#ifndef VIEWER_EVENTS_EVENT_SELECT_H
#define VIEWER_EVENTS_EVENT_SELECT_H

#include "base/option_table.h"

#include <ktrace/state.h>
#include <ktrace/traceset.h>

#define VERDICT_NR 256u
#define FILTERS_MAX 16u

/* struct verdict - cached: whether the name of a type matches */
struct verdict {
	const struct ktrace_event_type *type;
	bool is_wanted;
};

/**
 * struct event_select_glob - a pattern of names
 * @text:	the pattern
 * @calls:	filter for the system call it names, as "syscall:openat"; NULL = none
 */
struct event_select_glob {
	char *text;
	struct ktrace_filter *calls;
};

/**
 * struct event_select_pid - a process or thread
 * @id:		its number
 * @is_met:	an event or a thread with this number has been met
 */
struct event_select_pid {
	__u32 id;
	bool is_met;
};

/**
 * struct event_select - conditions; none = all events
 * @globs:	patterns of names
 * @glob_nr:	number of patterns
 * @pids:	processes and threads
 * @pid_nr:	number of ids
 * @filters:	expressions, all of which must be true
 * @filter_nr:	number of expressions
 * @source:	source of their fields state.*
 * @verdicts:	cache, by address of the type
 */
struct event_select {
	struct event_select_glob *globs;
	size_t glob_nr;
	struct event_select_pid *pids;
	size_t pid_nr;
	struct ktrace_filter *filters[FILTERS_MAX];
	size_t filter_nr;
	struct ktrace_filter_source source;
	struct verdict verdicts[VERDICT_NR];
};

/* The options -e, -p, and --filter, --filter-file; they refer to a struct event_select. */
extern const struct option_row events_options[];
extern const struct option_row pid_options[];
extern const struct option_row filter_options[];
/* How these take their values; return an error message, or NULL. @to: the struct event_select */
const char *event_select_add_globs(void *to, const char *list);
const char *event_select_add_pids(void *to, const char *list);
const char *event_select_add_filter(void *to, const char *text);
const char *event_select_add_filter_file(void *to, const char *path);

/* True if expressions use the state, which must then be maintained for them. */
bool event_select_uses_state(const struct event_select *s);
/* True if conditions use processes or thread names, which need the events before the window. */
bool event_select_uses_past(const struct event_select *s);
/* Sets the origin of times in expressions, and the state, which may be NULL if none uses it. */
void event_select_begin(struct event_select *s, __u64 start, struct ktrace_states *state);

static inline bool event_select_has_conditions(const struct event_select *s)
{
	return s->glob_nr || s->pid_nr || s->filter_nr;
}

/* Reports patterns that match no event described in the files, and fields that no event has. */
void event_select_complain(const struct event_select *s, const struct ktrace_traceset *set);
/* Reports processes and threads that were not met, after all was read. */
void event_select_complain_pids(const struct event_select *s);
/* Reports fields that are in neither of two tracesets. */
void event_select_complain_fields(const struct event_select *s, const struct ktrace_traceset *a,
				  const struct ktrace_traceset *b);

/* True if all expressions are true. */
bool event_select_passes_filters(const struct event_select *s, const struct ktrace_trace_event *e);
bool event_select_event(struct event_select *s, const struct ktrace_trace_event *e);
/* True if events of this type may be selected. */
bool event_select_type(const struct event_select *s, const struct ktrace_event_type *type);
/* True if it is one of the requested processes and threads. @pid: 0 = not known */
bool event_select_thread(const struct event_select *s, __u32 tid, __u32 pid);
void event_select_free(struct event_select *s);

#endif
