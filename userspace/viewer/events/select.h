/* SPDX-License-Identifier: GPL-2.0 */
/* select.h - which events a command is to show */
#ifndef VIEWER_SELECT_H
#define VIEWER_SELECT_H

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
 * struct select_glob - a pattern of names
 * @text:	the pattern
 * @calls:	what it means by the system call, "syscall:openat"; NULL = nothing
 */
struct select_glob {
	char *text;
	struct ktrace_filter *calls;
};

/**
 * struct select - conditions; none = all events
 * @globs:	patterns of names
 * @glob_nr:	how many
 * @pids:	processes and threads
 * @pid_nr:	how many
 * @filters:	expressions; all of them must be true
 * @filter_nr:	how many
 * @source:	their fields state.*
 * @verdicts:	cache, by address of the type
 */
struct select {
	struct select_glob *globs;
	size_t glob_nr;
	__u32 *pids;
	size_t pid_nr;
	struct ktrace_filter *filters[FILTERS_MAX];
	size_t filter_nr;
	struct ktrace_filter_source source;
	struct verdict verdicts[VERDICT_NR];
};

/* Both take a list separated by commas; return what is wrong, or NULL. */
const char *select_add_globs(struct select *s, const char *list);
const char *select_add_pids(struct select *s, const char *list);
/* The same for an expression, and a file with one. */
const char *select_add_filter(struct select *s, const char *text);
const char *select_add_filter_file(struct select *s, const char *path);
/* Do expressions ask for the state? Then it has to be maintained for them. */
bool select_uses_state(const struct select *s);
/* Do conditions ask for processes or names of threads? What lies before has to be read for them. */
bool select_uses_past(const struct select *s);
/* What times in expressions count from, and the state, which may be NULL if they do not ask. */
void select_begin(struct select *s, __u64 start, struct ktrace_states *state);

static inline bool select_has_conditions(const struct select *s)
{
	return s->glob_nr || s->pid_nr || s->filter_nr;
}

/* Says which patterns match no event that the files describe, which fields none has. */
void select_complain(const struct select *s, const struct ktrace_traceset *set);
/* The second half for two tracesets: which fields are in neither. */
void select_complain_fields(const struct select *s, const struct ktrace_traceset *a,
			    const struct ktrace_traceset *b);

/* Are all expressions true? */
bool select_passes_filters(const struct select *s, const struct ktrace_trace_event *e);
bool select_event(struct select *s, const struct ktrace_trace_event *e);
/* Could events of this type be wanted? */
bool select_type(const struct select *s, const struct ktrace_event_type *type);
/* Is it one of the processes and threads asked for? @pid: 0 = not known */
bool select_thread(const struct select *s, __u32 tid, __u32 pid);
void select_free(struct select *s);

#endif
