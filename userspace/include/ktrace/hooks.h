/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * hooks.h - callbacks for the events of a traceset
 *
 * A set of hooks is created once and can be used for any number of readings:
 *
 *   ktrace_hooks_begin(hooks, set);			calls the hooks BEFORE
 *   ktrace_hooks_read(hooks, set, &until);		once or more: calls those for events
 *   ktrace_hooks_end(hooks, set);			calls the hooks AFTER
 *
 * The hooks for an event are called in order of priority, smallest first, and in order of addition
 * for equal priorities. Hooks that maintain a state of the system have KTRACE_PRIORITY_STATE, so
 * that ordinary hooks see the state after the event.
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
	KTRACE_HOOK_BEFORE_TRACE,	/* each trace in order, followed by its streams */
	KTRACE_HOOK_BEFORE_STREAM,
	KTRACE_HOOK_EVENT,
	KTRACE_HOOK_AFTER_STREAM,	/* the streams of each trace, then the trace */
	KTRACE_HOOK_AFTER_TRACE,
	KTRACE_HOOK_AFTER_SET,
};

/**
 * struct ktrace_hook_call - arguments of a hook
 * @point:	when it is called
 * @set:	the traceset; a hook must not seek in it
 * @trace:	the trace, NULL for a set
 * @stream:	the stream, NULL for a set or trace
 * @event:	the event, NULL at all other points
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
 * Return: 0; 1 to stop reading after this event, once its other hooks have been called too (BEFORE
 * and AFTER: same as 0); -errno to give up at once.
 */
typedef int (*ktrace_hook_fn)(void *arg, const struct ktrace_hook_call *call);

struct ktrace_hooks;

/**
 * ktrace_hooks_new - create an empty set of hooks
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_hooks_new(struct ktrace_hooks **out);

/** ktrace_hooks_free - free a set of hooks; NULL is allowed */
void ktrace_hooks_free(struct ktrace_hooks *hooks);

/**
 * struct ktrace_hook - one hook
 * @size:	sizeof(struct ktrace_hook)
 * @point:	when to call it
 * @event:	pattern for provider:name as in fnmatch(3); NULL: all events
 * @priority:	0 to KTRACE_PRIORITY_MAX
 * @fn:		the function
 * @arg:	for @fn
 *
 * Events that the file does not describe have no name: only hooks for all events get them.
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
 * ktrace_hooks_add - add a hook, which is copied
 *
 * Return: 0, -EINVAL for an invalid hook, -EBUSY between begin and end, -ENOSPC for more than
 * KTRACE_HOOKS_MAX, -ENOMEM.
 */
int ktrace_hooks_add(struct ktrace_hooks *hooks, const struct ktrace_hook *hook);

/**
 * ktrace_hooks_begin - call the hooks BEFORE
 *
 * Return: 0, -EBUSY if reading has already begun, -errno of a hook; reading has not begun then.
 */
int ktrace_hooks_begin(struct ktrace_hooks *hooks, struct ktrace_traceset *set);

/**
 * ktrace_hooks_read - read up to a limit, calling the hooks for each event
 *
 * The limits are those of ktrace_traceset_next_until(); @until->stop tells why reading stopped. If
 * a hook stopped it, reading continues with the next event.
 *
 * Return: 0, -EINVAL without begin, -errno of ktrace_traceset_next_until() or of a hook.
 */
int ktrace_hooks_read(struct ktrace_hooks *hooks, struct ktrace_traceset *set,
		      struct ktrace_until *until);

/**
 * ktrace_hooks_end - call the hooks AFTER; reading has ended whatever they return
 *
 * Return: 0, -EINVAL without begin, -errno of a hook.
 */
int ktrace_hooks_end(struct ktrace_hooks *hooks, struct ktrace_traceset *set);

/**
 * typedef ktrace_filter_fn - true if an event is wanted
 */
typedef bool (*ktrace_filter_fn)(void *arg, const struct ktrace_trace_event *event);

#define KTRACE_FILTERS_MAX 3

/**
 * struct ktrace_search - which events to count when moving forward or back
 * @size:	sizeof(struct ktrace_search)
 * @filters:	an event counts if all filters accept it; NULL = not used
 * @args:	arguments of @filters
 * @is_stopped:	called before each event: true cancels; may be NULL
 * @stop_arg:	for @is_stopped
 * @window:	back: ns to search first, doubled each time; 0 = one second
 * @seek:	back: how to seek to a time; NULL = ktrace_traceset_seek(); may go to an earlier
 *		time, such as that of a saved state
 * @seek_arg:	for @seek
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
 * ktrace_traceset_forward - move past the @n-th matching event from here
 * @set:	the traceset
 * @n:		number of events; 0 = stay
 * @search:	which events; NULL = all
 * @found:	out: how many there were
 *
 * Return: 0, even if there are fewer; -ECANCELED by @search->is_stopped; -EINVAL, -ENOMEM.
 */
int ktrace_traceset_forward(struct ktrace_traceset *set, __u64 n,
			    const struct ktrace_search *search, __u64 *found);

/**
 * ktrace_traceset_back - move in front of the @n-th matching event before here
 *
 * If there are fewer, moves in front of the first one. If there are none, or after a failure, the
 * traceset stays where it is. Arguments and results are those of ktrace_traceset_forward().
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
