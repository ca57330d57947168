/* SPDX-License-Identifier: GPL-2.0 */
/* context_spec.h - parses --context: what to record with kernel events */
#ifndef KTRACED_CONTEXT_CONTEXT_SPEC_H
#define KTRACED_CONTEXT_CONTEXT_SPEC_H

#include <stdbool.h>
#include <ktrace/session.h>

#define CONTEXT_SPECS_MAX 32u

/**
 * struct context_spec - one clause of --context
 * @globs:	globs of events as in -e, @globs_len bytes; NULL = all kernel events
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

/* struct context_specs - all clauses: an event gets the union of those that match it */
struct context_specs {
	struct context_spec list[CONTEXT_SPECS_MAX];
	__u32 nr;
};

/**
 * context_specs_parse - add the clauses of an argument of --context
 * @w:		the clauses
 * @text:	the argument, which must stay valid
 * @reason:	out: the error and its column
 * @size:	bytes of @reason
 *
 * Return: true if the argument is valid.
 */
bool context_specs_parse(struct context_specs *w, const char *text, char *reason, size_t size);

/* Returns the context requested for one event, named "family:name". */
struct context_spec context_specs_for(const struct context_specs *w, const char *family,
				      const char *name);

/* Returns the context requested for any event. */
struct context_spec context_specs_all(const struct context_specs *w);

#endif
