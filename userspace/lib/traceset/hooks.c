// SPDX-License-Identifier: LGPL-2.1
/*
 * hooks.c - functions called for events
 *
 * Hooks are kept in the order in which they are called. Which hooks want an event depends only on
 * its type: a bit for each hook, cached by type.
 */
#include "hooks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int ktrace_hooks_new(struct ktrace_hooks **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

void ktrace_hooks_free(struct ktrace_hooks *hooks)
{
	if (!hooks)
		return;
	while (hooks->nr)
		free((char *)hooks->hooks[--hooks->nr].event);
	free(hooks);
}

static bool is_possible(const struct ktrace_hook *hook)
{
	return hook->size == sizeof(*hook) && hook->fn && hook->priority >= 0 &&
	       hook->priority <= KTRACE_PRIORITY_MAX &&
	       (unsigned int)hook->point <= KTRACE_HOOK_AFTER_SET &&
	       (!hook->event || hook->point == KTRACE_HOOK_EVENT);
}

int ktrace_hooks_add(struct ktrace_hooks *hooks, const struct ktrace_hook *hook)
{
	struct ktrace_hook copy = *hook;
	size_t i;

	if (!is_possible(hook))
		return -EINVAL;
	if (hooks->is_begun)
		return -EBUSY;
	if (hooks->nr == KTRACE_HOOKS_MAX)
		return -ENOSPC;
	if (hook->event) {
		copy.event = strdup(hook->event);
		if (!copy.event)
			return -ENOMEM;
	}
	for (i = hooks->nr++; i && hooks->hooks[i - 1].priority > copy.priority; i--)
		hooks->hooks[i] = hooks->hooks[i - 1];
	hooks->hooks[i] = copy;
	memset(hooks->wishes, 0, sizeof(hooks->wishes));
	return 0;
}

static bool wants(const struct ktrace_hook *hook, const struct ktrace_event_type *type)
{
	return hook->point == KTRACE_HOOK_EVENT &&
	       (!hook->event || (type && !fnmatch(hook->event, type->full_name, 0)));
}

/* Returns the hooks that want events of this type, a bit each. */
static __u64 hooks_wanting(struct ktrace_hooks *hooks, const struct ktrace_event_type *type)
{
	struct wish *w = &hooks->wishes[((uintptr_t)type >> 4) % WISH_NR];
	size_t i;

	if (w->is_valid && w->type == type)
		return w->hooks;
	*w = (struct wish){ .type = type, .is_valid = true };
	for (i = 0; i < hooks->nr; i++)
		if (wants(&hooks->hooks[i], type))
			w->hooks |= 1ull << i;
	return w->hooks;
}

static int call_all(struct ktrace_hooks *hooks, const struct ktrace_hook_call *call)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < hooks->nr && ret >= 0; i++)
		if (hooks->hooks[i].point == call->point)
			ret = hooks->hooks[i].fn(hooks->hooks[i].arg, call);
	return ret < 0 ? ret : 0;
}

static int call_streams(struct ktrace_hooks *hooks, const struct ktrace_hook_call *call)
{
	struct ktrace_hook_call inner = *call;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && (inner.stream = ktrace_trace_stream(call->trace, i)); i++)
		ret = call_all(hooks, &inner);
	return ret;
}

int ktrace_hooks_begin(struct ktrace_hooks *hooks, struct ktrace_traceset *set)
{
	struct ktrace_hook_call call = { .point = KTRACE_HOOK_BEFORE_SET, .set = set };
	size_t i;
	int ret;

	if (hooks->is_begun)
		return -EBUSY;
	/* Another set may have other types at the same addresses. */
	memset(hooks->wishes, 0, sizeof(hooks->wishes));
	ret = call_all(hooks, &call);
	for (i = 0; !ret && (call.trace = ktrace_traceset_trace(set, i)); i++) {
		call.point = KTRACE_HOOK_BEFORE_TRACE;
		ret = call_all(hooks, &call);
		call.point = KTRACE_HOOK_BEFORE_STREAM;
		ret = ret ? ret : call_streams(hooks, &call);
	}
	hooks->is_begun = !ret;
	return ret;
}

int ktrace_hooks_end(struct ktrace_hooks *hooks, struct ktrace_traceset *set)
{
	struct ktrace_hook_call call = { .set = set };
	size_t i;
	int ret = hooks->is_begun ? 0 : -EINVAL;

	hooks->is_begun = false;
	for (i = 0; !ret && (call.trace = ktrace_traceset_trace(set, i)); i++) {
		call.point = KTRACE_HOOK_AFTER_STREAM;
		ret = call_streams(hooks, &call);
		call.point = KTRACE_HOOK_AFTER_TRACE;
		ret = ret ? ret : call_all(hooks, &call);
	}
	call.point = KTRACE_HOOK_AFTER_SET;
	call.trace = NULL;
	return ret ? ret : call_all(hooks, &call);
}

/*
 * Calls all hooks for an event, up to one that has removed their request. Returns 1 if a hook wants
 * to stop, 0 if none does, -errno.
 */
int ktrace_hooks_call(struct ktrace_hooks *hooks, const struct ktrace_hook_call *call)
{
	__u64 left = hooks_wanting(hooks, call->event->type);
	const struct ktrace_hook *hook;
	bool stops = false;
	int ret;

	for (; left && hooks->is_begun; left &= left - 1) {
		hook = &hooks->hooks[__builtin_ctzll(left)];
		ret = hook->fn(hook->arg, call);
		if (ret < 0)
			return ret;
		stops |= ret > 0;
	}
	return stops;
}

int ktrace_hooks_read(struct ktrace_hooks *hooks, struct ktrace_traceset *set,
		      struct ktrace_until *until)
{
	struct ktrace_trace_event event;
	struct ktrace_hook_call call = { .point = KTRACE_HOOK_EVENT, .set = set, .event = &event };
	int ret;

	if (!hooks->is_begun)
		return -EINVAL;
	do {
		ret = ktrace_traceset_next_until(set, until, &event);
		if (ret <= 0)
			return ret;
		call.stream = event.stream;
		call.trace = event.stream->trace;
		ret = ktrace_hooks_call(hooks, &call);
	} while (!ret);
	if (ret > 0)
		until->stop = KTRACE_STOP_HOOK;
	return ret < 0 ? ret : 0;
}
