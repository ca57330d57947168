/* SPDX-License-Identifier: GPL-2.0 */
/* context_spec.h - what is to be recorded with kernel events, as --context has it */
#ifndef KTRACED_CONTEXT_CONTEXT_SPEC_H
#define KTRACED_CONTEXT_CONTEXT_SPEC_H

#include <stdbool.h>
#include <ktrace/session.h>

#define CONTEXT_SPECS_MAX 32u

/**
 * struct context_spec - one clause of --context
 * @globs:	of events, as -e has them; @globs_len bytes; 0 = all kernel events
 * @globs_len:	bytes
 * @bits:	KTRACE_CONTEXT_*, without counters
 * @counters:	bit by kind of item, KTRACE_ITEM_COUNTER and so on
 */
struct context_spec {
	const char *globs;
	size_t globs_len;
	__u16 bits;
	__u64 counters;
};

/* struct context_specs - all clauses: an event has what any of those that it matches says */
struct context_specs {
	struct context_spec list[CONTEXT_SPECS_MAX];
	__u32 nr;
};

/**
 * context_specs_parse - add the clauses of an argument of --context
 * @w:		the clauses
 * @text:	the argument, which must stay
 * @reason:	out: what is wrong, and where
 * @size:	bytes of @reason
 *
 * Return: whether it makes sense.
 */
bool context_specs_parse(struct context_specs *w, const char *text, char *reason, size_t size);

/* What is wished for one event, named "family:name" */
struct context_spec context_specs_for(const struct context_specs *w, const char *family,
				      const char *name);

/* All that is wished for some event */
struct context_spec context_specs_all(const struct context_specs *w);

#endif
