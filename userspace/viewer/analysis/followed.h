/* SPDX-License-Identifier: GPL-2.0 */
/*
 * followed.h - tells whether the running times of a thread are known
 *
 * A recording of some processes has the switches to and from their threads, but none between other
 * threads: which of the others ran, and until when, is not known.
 */
#ifndef VIEWER_ANALYSIS_FOLLOWED_H
#define VIEWER_ANALYSIS_FOLLOWED_H

#include <ktrace/state.h>

/**
 * struct followed - the threads whose switches are all recorded
 * @state:	NULL = all threads
 */
struct followed {
	struct ktrace_states *state;
};

/* Return: 0, -errno. */
int followed_begin(struct followed *f, struct ktrace_traceset *set);
/* Called for each event, before anything else. Return: 0, -errno. */
int followed_see(struct followed *f, const struct ktrace_trace_event *e);
/*
 * True if the switches of thread @tid, which ran on @cpu, are recorded, as far as is known by now.
 */
bool followed_has(const struct followed *f, const struct ktrace_trace *trace, __u32 tid, __s32 cpu);
void followed_end(struct followed *f);

#endif
