/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * hooks.h - functions that are called for the events of a traceset
 *
 * A set of hooks is made once and read with as often as one likes:
 *
 *   ktrace_hooks_begin(hooks, set);			calls the hooks BEFORE
 *   ktrace_hooks_read(hooks, set, &until);		once or more: calls those for events
 *   ktrace_hooks_end(hooks, set);			calls the hooks AFTER
 *
 * For an event hooks are called in order of their priority, the smallest first, and in the
 * order of their addition if that is the same. What keeps a state of the system has
 * KTRACE_PRIORITY_STATE, so that ordinary hooks see the state that the event has made.
 */
#ifndef KTRACE_HOOKS_H
#define KTRACE_HOOKS_H

#include <ktrace/position.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define KTRACE_PRIORITY_STATE 25
#define KTRACE_PRIORITY_DEFAULT 50
#define KTRACE_PRIORITY_MAX 99
#define KTRACE_HOOKS_MAX 64

/** enum ktrace_hook_point - when a hook is called; in this order */
enum ktrace_hook_point {
	KTRACE_HOOK_BEFORE_SET,
	KTRACE_HOOK_BEFORE_TRACE,	/* each trace in order, behind it its streams */
	KTRACE_HOOK_BEFORE_STREAM,
	KTRACE_HOOK_EVENT,
	KTRACE_HOOK_AFTER_STREAM,	/* the streams of each trace, then the trace */
	KTRACE_HOOK_AFTER_TRACE,
	KTRACE_HOOK_AFTER_SET,
};

/**
 * struct ktrace_hook_call - what a hook is called for
 * @point:	when
 * @set:	the traceset; a hook must not move it
 * @trace:	the trace, NULL for a set
 * @stream:	the stream, NULL for a set or trace
 * @event:	the event, NULL for all others
 */
struct ktrace_hook_call {
	enum ktrace_hook_point point;
	struct ktrace_traceset *set;
	const struct ktrace_trace *trace;
	const struct ktrace_trace_stream *stream;
	const struct ktrace_trace_event *event;
};

/**
 * typedef ktrace_hook_fn - a hook
 *
 * Return: 0; 1 to stop reading behind this event, when its other hooks have been called, too
 * (BEFORE and AFTER: as 0); -errno to give up at once.
 */
typedef int (*ktrace_hook_fn)(void *arg, const struct ktrace_hook_call *call);

struct ktrace_hooks;

/**
 * ktrace_hooks_new - no hooks
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_hooks_new(struct ktrace_hooks **out);

/** ktrace_hooks_free - NULL is allowed */
void ktrace_hooks_free(struct ktrace_hooks *hooks);

/**
 * struct ktrace_hook - one hook
 * @size:	sizeof(struct ktrace_hook)
 * @point:	when it is to be called
 * @event:	pattern for provider:name as of fnmatch(3); NULL: for all events
 * @priority:	0 to KTRACE_PRIORITY_MAX
 * @fn:		the function
 * @arg:	for it
 *
 * Events that the file does not describe have no name: only hooks for all get them.
 */
struct ktrace_hook {
	size_t size;
	enum ktrace_hook_point point;
	const char *event;
	int priority;
	ktrace_hook_fn fn;
	void *arg;
};

/**
 * ktrace_hooks_add - add a hook; it is copied
 *
 * Return: 0, -EINVAL for what cannot be, -EBUSY between begin and end, -ENOSPC for more
 * than KTRACE_HOOKS_MAX, -ENOMEM.
 */
int ktrace_hooks_add(struct ktrace_hooks *hooks, const struct ktrace_hook *hook);

/**
 * ktrace_hooks_begin - call the hooks BEFORE
 *
 * Return: 0, -EBUSY if it has begun, -errno of a hook; then it has not begun.
 */
int ktrace_hooks_begin(struct ktrace_hooks *hooks, struct ktrace_traceset *set);

/**
 * ktrace_hooks_read - read up to a limit, and call the hooks for each event
 *
 * Limits are as of ktrace_traceset_next_until(); @until->stop says why it has stopped. If a
 * hook said so, the next event is the one behind.
 *
 * Return: 0, -EINVAL without begin, -errno of ktrace_traceset_next_until() or of a hook.
 */
int ktrace_hooks_read(struct ktrace_hooks *hooks, struct ktrace_traceset *set,
		      struct ktrace_until *until);

/**
 * ktrace_hooks_end - call the hooks AFTER; it has ended, whatever they say
 *
 * Return: 0, -EINVAL without begin, -errno of a hook.
 */
int ktrace_hooks_end(struct ktrace_hooks *hooks, struct ktrace_traceset *set);

/**
 * typedef ktrace_filter_fn - is an event wanted?
 */
typedef bool (*ktrace_filter_fn)(void *arg, const struct ktrace_trace_event *event);

#define KTRACE_FILTERS_MAX 3

/**
 * struct ktrace_search - which events to count, going forward or back
 * @size:	sizeof(struct ktrace_search)
 * @filters:	an event counts if all say so; NULL = all events do
 * @args:	for them
 * @is_stopped:	asked before each event: true gives up; may be NULL
 * @stop_arg:	for it
 * @window:	back: ns that are looked through first, each time twice as many; 0 = a second
 * @seek:	back: how to go to a time; NULL = ktrace_traceset_seek(); may go to an earlier
 *		time, such as that of a state that was saved
 * @seek_arg:	for it
 */
struct ktrace_search {
	size_t size;
	ktrace_filter_fn filters[KTRACE_FILTERS_MAX];
	void *args[KTRACE_FILTERS_MAX];
	bool (*is_stopped)(void *arg);
	void *stop_arg;
	__u64 window;
	int (*seek)(void *arg, struct ktrace_traceset *set, __u64 time);
	void *seek_arg;
};

/**
 * ktrace_traceset_forward - move behind the @n-th event from here that counts
 * @set:	the traceset
 * @n:		how many; 0 = stay
 * @search:	which events; NULL = all
 * @found:	how many there were
 *
 * Return: 0, also if there are fewer; -ECANCELED by @search->is_stopped; -EINVAL, -ENOMEM.
 */
int ktrace_traceset_forward(struct ktrace_traceset *set, __u64 n,
			    const struct ktrace_search *search, __u64 *found);

/**
 * ktrace_traceset_back - move in front of the @n-th event before here that counts
 *
 * If there are fewer, in front of the first one; if there is none, or after a failure, it
 * stays where it is. Arguments and results are as those of ktrace_traceset_forward().
 */
int ktrace_traceset_back(struct ktrace_traceset *set, __u64 n,
			 const struct ktrace_search *search, __u64 *found);

#pragma GCC visibility pop
#ifdef __cplusplus
}

/* The same for callers with uint64_t, which in C++ is another type than __u64 */
static inline int ktrace_traceset_forward(struct ktrace_traceset *set, __u64 n,
					  const struct ktrace_search *search, uint64_t *found)
{
	__u64 events = 0;
	int error = ktrace_traceset_forward(set, n, search, &events);

	*found = events;
	return error;
}

static inline int ktrace_traceset_back(struct ktrace_traceset *set, __u64 n,
				       const struct ktrace_search *search, uint64_t *found)
{
	__u64 events = 0;
	int error = ktrace_traceset_back(set, n, search, &events);

	*found = events;
	return error;
}
#endif

#endif
