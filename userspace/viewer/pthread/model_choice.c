// SPDX-License-Identifier: GPL-2.0
/*
 * model_choice.c - finds out which events are recorded
 *
 * A kind of object is partial if some of its events are not recorded all the time: its states are
 * unknown, and nothing about it is impossible. A condition wait releases a mutex, so its events
 * belong to mutexes, too. At each new choice of events, everything becomes unknown.
 */
#include "model_state.h"

#include <errno.h>
#include <ktrace/level.h>
#include <stdlib.h>
#include <string.h>

#include "events/event_select.h"

/* Marks the kind of a type that the globs exclude from recording. */
static void mark_type(struct model *s, struct event_select *globs,
		      const struct ktrace_event_type *type)
{
	const struct ktrace_trace_event e = { .type = type };
	const struct model_binding *b = model_bind(s, type);

	if (!b || !b->is_ours || event_select_event(globs, &e))
		return;
	s->is_partial[b->kind] = true;
	if (b->kind == MODEL_COND)
		s->is_partial[MODEL_MUTEX] = true;
}

static int mark(struct model *s, const struct ktrace_trace *trace, const char *list)
{
	const __u32 nr = ktrace_trace_types(trace, KTRACE_CHANNEL_USER);
	const struct ktrace_event_type *type;
	struct event_select *globs = calloc(1, sizeof(*globs));
	bool is_bad;
	__u32 id;

	if (!globs)
		return -ENOMEM;
	is_bad = event_select_add_globs(globs, list);
	for (id = 0; id < nr; id++) {
		type = ktrace_trace_type(trace, KTRACE_CHANNEL_USER, id);
		if (type && is_bad)
			memset(s->is_partial, 1, sizeof(s->is_partial));
		else if (type)
			mark_type(s, globs, type);
	}
	event_select_free(globs);
	free(globs);
	return 0;
}

static int mark_choice(struct model *s, const struct ktrace_trace *trace,
		       const struct ktrace_choice *c)
{
	char globs[4096], bad[64];
	__u32 levels;
	int ret = 0;

	if (c->levels && (!ktrace_level_parse(c->levels, &levels, bad, sizeof(bad)) ||
			  ktrace_level_globs(levels, globs, sizeof(globs))))
		memset(s->is_partial, 1, sizeof(s->is_partial));
	else if (c->levels)
		ret = mark(s, trace, globs);
	if (!ret && c->events)
		ret = mark(s, trace, c->events);
	return ret;
}

int model_choices(struct model *s)
{
	const struct ktrace_trace *trace;
	struct ktrace_choice c;
	size_t i, at;
	int ret = 0;

	for (i = 0; !ret && (trace = ktrace_traceset_trace(s->set, i)); i++)
		for (at = 0; !ret && ktrace_trace_choice(trace, at, &c); at++)
			ret = mark_choice(s, trace, &c);
	return ret;
}

bool model_choice_is_new(struct model *s, const struct ktrace_trace_event *e)
{
	const struct ktrace_trace *trace = e->stream->trace;
	struct ktrace_choice c;
	bool is_new = false;

	if (s->choice_trace != trace) {
		s->choice_trace = trace;
		s->choice_at = 0;
		s->choice_raw = 0;
	}
	while (e->raw >= s->choice_raw) {
		is_new |= s->choice_raw > s->choice_since;
		s->choice_since = s->choice_raw > s->choice_since ? s->choice_raw : s->choice_since;
		s->choice_raw = ktrace_trace_choice(trace, s->choice_at++, &c) ? c.raw : ~0ull;
	}
	return is_new;
}
