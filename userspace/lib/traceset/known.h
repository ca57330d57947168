/* SPDX-License-Identifier: LGPL-2.1 */
/* known.h - what META says of stacks, control groups and functions of the kernel */
#ifndef KTRACE_TRACESET_KNOWN_H
#define KTRACE_TRACESET_KNOWN_H

#include <ktrace/context.h>
#include <stddef.h>

/**
 * struct known - one thing that has a number
 * @key:	the number, or the first address
 * @end:	behind the last address, if it has addresses
 * @order:	it came so; of those with the same key the first holds
 * @text:	its name, NULL = none
 * @stack:	if it is one; the addresses are its own
 */
struct known {
	__u64 key;
	__u64 end;
	__u64 order;
	char *text;
	struct ktrace_trace_stack stack;
};

/* struct known_table - ordered by key when ktrace_known_sort() has been called */
struct known_table {
	struct known *list;
	size_t nr;
	size_t cap;
	bool is_unordered;
};

/* Takes @k with all that is its own, also when it fails. Return: 0, -ENOMEM. */
int ktrace_known_add(struct known_table *t, const struct known *k);
/* Behind the last of them; looking for one does not change the table. */
void ktrace_known_sort(struct known_table *t);
/* The one with the largest key that is not above @key, NULL = none */
const struct known *ktrace_known_find(const struct known_table *t, __u64 key);
void ktrace_known_free(struct known_table *t);

#endif
