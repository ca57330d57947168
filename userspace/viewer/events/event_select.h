/* SPDX-License-Identifier: GPL-2.0 */
/* event_select.h - which events a command is to show */
#ifndef VIEWER_EVENTS_EVENT_SELECT_H
#define VIEWER_EVENTS_EVENT_SELECT_H

#include <ktrace/state.h>
#include <ktrace/traceset.h>

#define VERDICT_NR 256u
#define FILTERS_MAX 16u

/* struct verdict - whether a type's name matches, remembered */
struct verdict {
	const struct ktrace_event_type *type;
	bool is_wanted;
};

/**
 * struct event_select_glob - a pattern of names
 * @text:	the pattern
 * @calls:	what it means by the system call, "syscall:openat"; NULL = nothing
 */
struct event_select_glob {
	char *text;
	struct ktrace_filter *calls;
};

/**
 * struct event_select - conditions; none = all events
 * @globs:	patterns of names
 * @glob_nr:	how many
 * @pids:	processes and threads
 * @pid_nr:	how many
 * @filters:	expressions; all of them must be true
 * @filter_nr:	how many
 * @source:	their fields state.*
 * @verdicts:	cache, by address of the type
 */
struct event_select {
	struct event_select_glob *globs;
	size_t glob_nr;
	__u32 *pids;
	size_t pid_nr;
	struct ktrace_filter *filters[FILTERS_MAX];
	size_t filter_nr;
	struct ktrace_filter_source source;
	struct verdict verdicts[VERDICT_NR];
};

/* Both take a list separated by commas; return what is wrong, or NULL. */
const char *event_select_add_globs(struct event_select *s, const char *list);
const char *event_select_add_pids(struct event_select *s, const char *list);
/* The same for an expression, and a file with one. */
const char *event_select_add_filter(struct event_select *s, const char *text);
const char *event_select_add_filter_file(struct event_select *s, const char *path);
/* Do expressions ask for the state? Then it has to be maintained for them. */
bool event_select_uses_state(const struct event_select *s);
/* Do conditions ask for processes or names of threads? What lies before has to be read for them. */
bool event_select_uses_past(const struct event_select *s);
/* What times in expressions count from, and the state, which may be NULL if they do not ask. */
void event_select_begin(struct event_select *s, __u64 start, struct ktrace_states *state);

static inline bool event_select_has_conditions(const struct event_select *s)
{
	return s->glob_nr || s->pid_nr || s->filter_nr;
}

/* Says which patterns match no event that the files describe, which fields none has. */
void event_select_complain(const struct event_select *s, const struct ktrace_traceset *set);
/* The second half for two tracesets: which fields are in neither. */
void event_select_complain_fields(const struct event_select *s, const struct ktrace_traceset *a,
				  const struct ktrace_traceset *b);

/* Are all expressions true? */
bool event_select_passes_filters(const struct event_select *s, const struct ktrace_trace_event *e);
bool event_select_event(struct event_select *s, const struct ktrace_trace_event *e);
/* Could events of this type be wanted? */
bool event_select_type(const struct event_select *s, const struct ktrace_event_type *type);
/* Is it one of the processes and threads asked for? @pid: 0 = not known */
bool event_select_thread(const struct event_select *s, __u32 tid, __u32 pid);
void event_select_free(struct event_select *s);

#endif
