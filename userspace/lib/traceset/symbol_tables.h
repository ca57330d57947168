/* SPDX-License-Identifier: LGPL-2.1 */
/* symbol_tables.h - what META says of stacks, control groups and functions of the kernel */
#ifndef KTRACE_TRACESET_SYMBOL_TABLES_H
#define KTRACE_TRACESET_SYMBOL_TABLES_H

#include <ktrace/context.h>
#include <stddef.h>

/**
 * struct symbol - one thing that has a number
 * @key:	the number, or the first address
 * @end:	behind the last address, if it has addresses
 * @order:	it came so; of those with the same key the first holds
 * @text:	its name, NULL = none
 * @stack:	if it is one; the addresses are its own
 */
struct symbol {
	__u64 key;
	__u64 end;
	__u64 order;
	char *text;
	struct ktrace_trace_stack stack;
};

/* struct symbol_table - ordered by key when ktrace_symbol_table_sort() has been called */
struct symbol_table {
	struct symbol *list;
	size_t nr;
	size_t cap;
	bool is_unordered;
};

/* Takes @k with all that is its own, also when it fails. Return: 0, -ENOMEM. */
int ktrace_symbol_table_add(struct symbol_table *t, const struct symbol *k);
/* Behind the last of them; looking for one does not change the table. */
void ktrace_symbol_table_sort(struct symbol_table *t);
/* The one with the largest key that is not above @key, NULL = none */
const struct symbol *ktrace_symbol_table_find(const struct symbol_table *t,
						      __u64 key);
void ktrace_symbol_table_free(struct symbol_table *t);

#endif
