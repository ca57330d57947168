/* SPDX-License-Identifier: GPL-2.0 */
/*
 * followed.h - whether it is known how long a thread ran
 *
 * In a recording of some processes the switch from a thread to one of these is there, and back,
 * but none between others: which others ran then, and until when, is not known.
 */
#ifndef VIEWER_ANALYSIS_FOLLOWED_H
#define VIEWER_ANALYSIS_FOLLOWED_H

#include <ktrace/state.h>

/**
 * struct followed - the threads whose switches are all there
 * @state:	NULL = those of all
 */
struct followed {
	struct ktrace_states *state;
};

/* Return: 0, -errno. */
int followed_begin(struct followed *f, struct ktrace_traceset *set);
/* To be called for each event, first. Return: 0, -errno. */
int followed_see(struct followed *f, const struct ktrace_trace_event *e);
/* Are switches of thread @tid there, which ran on @cpu? As far as is known by now. */
bool followed_has(const struct followed *f, const struct ktrace_trace *trace, __u32 tid, __s32 cpu);
void followed_end(struct followed *f);

#endif
