// SPDX-License-Identifier: GPL-2.0
/* followed.c - tells whether the running times of a thread are known */
#include "followed.h"

#include <string.h>

static bool is_partial(const struct ktrace_trace *trace)
{
	const char *scope = ktrace_trace_meta(trace, "trace", "scope");

	return scope && !strcmp(scope, "followed");
}

int followed_begin(struct followed *f, struct ktrace_traceset *set)
{
	const struct ktrace_trace *t;
	bool is_any = false;
	size_t i;

	f->state = NULL;
	for (i = 0; (t = ktrace_traceset_trace(set, i)); i++)
		is_any |= is_partial(t);
	return is_any ? ktrace_state_new(set, &f->state) : 0;
}

int followed_see(struct followed *f, const struct ktrace_trace_event *e)
{
	return f->state ? ktrace_state_update(f->state, e) : 0;
}

bool followed_has(const struct followed *f, const struct ktrace_trace *trace, __u32 tid, __s32 cpu)
{
	const struct ktrace_process *p;

	if (!f->state || !is_partial(trace))
		return true;
	p = ktrace_state_find(f->state, ktrace_state_machine(f->state, trace), tid, cpu);
	return p && p->is_followed;
}

void followed_end(struct followed *f)
{
	ktrace_state_free(f->state);
}
