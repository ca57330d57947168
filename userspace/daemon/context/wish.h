/* SPDX-License-Identifier: GPL-2.0 */
/* wish.h - what is to be recorded with kernel events, as --context has it */
#ifndef KTRACED_CONTEXT_WISH_H
#define KTRACED_CONTEXT_WISH_H

#include <stdbool.h>
#include <ktrace/session.h>

#define WISHES_MAX 32u

/**
 * struct wish - one clause of --context
 * @globs:	of events, as -e has them; @globs_len bytes; 0 = all kernel events
 * @globs_len:	bytes
 * @bits:	KTRACE_CONTEXT_*, without counters
 * @counters:	bit by kind of item, KTRACE_ITEM_COUNTER and so on
 */
struct wish {
	const char *globs;
	size_t globs_len;
	__u16 bits;
	__u64 counters;
};

/* struct wishes - all clauses: an event has what any of those that it matches says */
struct wishes {
	struct wish list[WISHES_MAX];
	__u32 nr;
};

/**
 * wishes_parse - add the clauses of an argument of --context
 * @w:		the clauses
 * @text:	the argument, which must stay
 * @reason:	out: what is wrong, and where
 * @size:	bytes of @reason
 *
 * Return: whether it makes sense.
 */
bool wishes_parse(struct wishes *w, const char *text, char *reason, size_t size);

/* What is wished for one event, named "family:name" */
struct wish wishes_for(const struct wishes *w, const char *family, const char *name);

/* All that is wished for some event */
struct wish wishes_all(const struct wishes *w);

#endif
