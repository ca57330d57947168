// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_model_choice.c - finds out which events are recorded
 *
 * A kind of object is partial if some of its events are not recorded all the time: its states are
 * unknown, and nothing about it is impossible. A condition wait releases a mutex, so its events
 * belong to mutexes, too. At each new choice of events, everything becomes unknown.
 */
#include "pthread_model_state.h"

#include <errno.h>
#include <ktrace/level.h>
#include <stdio.h>
#include <string.h>

#include "base/event_glob.h"

/* True if the list of globs has one for this type: an empty list has none. */
static bool is_recorded(const char *list, const struct ktrace_event_type *type)
{
	char glob[256];
	size_t n;

	for (;; list += n + 1) {
		n = strcspn(list, ",");
		snprintf(glob, sizeof(glob), "%.*s", (int)(n < sizeof(glob) ? n : 0), list);
		if (event_glob_matches(glob, type->full_name))
			return true;
		if (!list[n])
			return false;
	}
}

/* Marks the kind of a type that the globs exclude from recording. Return: 0, -ENOMEM. */
static int mark_type(struct model *s, const char *list, const struct ktrace_event_type *type)
{
	const struct model_binding *b = model_bind(s, type);

	if (!b)
		return -ENOMEM;
	if (!b->is_ours || is_recorded(list, type))
		return 0;
	s->is_partial[b->kind] = true;
	if (b->kind == MODEL_COND)
		s->is_partial[MODEL_MUTEX] = true;
	return 0;
}

static int mark(struct model *s, const struct ktrace_trace *trace, const char *list)
{
	const __u32 nr = ktrace_trace_types(trace, KTRACE_CHANNEL_USER);
	const struct ktrace_event_type *type;
	__u32 id;
	int ret = 0;

	for (id = 0; id < nr && !ret; id++) {
		type = ktrace_trace_type(trace, KTRACE_CHANNEL_USER, id);
		if (type)
			ret = mark_type(s, list, type);
	}
	return ret;
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
