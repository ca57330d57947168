/* SPDX-License-Identifier: LGPL-2.1 */
/* hooks.h - a set of hooks */
#ifndef KTRACE_TRACESET_HOOKS_H
#define KTRACE_TRACESET_HOOKS_H

#include <ktrace/hooks.h>

#define WISH_NR 64u

/* struct wish - which hooks want events of a type, cached */
struct wish {
	const struct ktrace_event_type *type;
	__u64 hooks;
	bool is_valid;
};

/**
 * struct ktrace_hooks - hooks
 * @hooks:	in the order of calls
 * @nr:		their number
 * @wishes:	cache, by address of the type
 * @is_begun:	between begin and end
 */
struct ktrace_hooks {
	struct ktrace_hook hooks[KTRACE_HOOKS_MAX];
	size_t nr;
	struct wish wishes[WISH_NR];
	bool is_begun;
};

int ktrace_hooks_call(struct ktrace_hooks *hooks, const struct ktrace_hook_call *call);

#endif
