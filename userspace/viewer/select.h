/* SPDX-License-Identifier: GPL-2.0 */
/* select.h - which events a command is to show */
#ifndef VIEWER_SELECT_H
#define VIEWER_SELECT_H

#include <ktrace/filter.h>
#include <ktrace/traceset.h>

#define VERDICT_NR 256u
#define FILTERS_MAX 16u

/* struct verdict - whether a type's name matches, remembered */
struct verdict {
	const struct ktrace_event_type *type;
	bool is_wanted;
};

/**
 * struct select - conditions; none = all events
 * @globs:	patterns of names
 * @glob_nr:	how many
 * @pids:	processes and threads
 * @pid_nr:	how many
 * @filters:	expressions; all of them must be true
 * @filter_nr:	how many
 * @verdicts:	cache, by address of the type
 */
struct select {
	char **globs;
	size_t glob_nr;
	__u32 *pids;
	size_t pid_nr;
	struct ktrace_filter *filters[FILTERS_MAX];
	size_t filter_nr;
	struct verdict verdicts[VERDICT_NR];
};

/* Both take a list separated by commas; return what is wrong, or NULL. */
const char *select_add_globs(struct select *s, const char *list);
const char *select_add_pids(struct select *s, const char *list);
/* The same for an expression, and a file with one. */
const char *select_add_filter(struct select *s, const char *text);
const char *select_add_filter_file(struct select *s, const char *path);
/* What times in expressions count from. */
void select_begin(struct select *s, __u64 start);

static inline bool select_has_conditions(const struct select *s)
{
	return s->glob_nr || s->pid_nr || s->filter_nr;
}

/* Says which patterns match no event that the files describe. */
void select_complain(const struct select *s, const struct ktrace_traceset *set);

bool select_event(struct select *s, const struct ktrace_trace_event *e);
void select_free(struct select *s);

#endif
