/* SPDX-License-Identifier: LGPL-2.1 */
/* symbol_tables.h - what META says about stacks, control groups and functions of the kernel */
#ifndef KTRACE_TRACESET_SYMBOL_TABLES_H
#define KTRACE_TRACESET_SYMBOL_TABLES_H

#include <ktrace/context.h>
#include <stddef.h>

/**
 * struct symbol - something that has a number
 * @key:	the number, or the first address
 * @end:	after the last address, if it has addresses
 * @order:	order of addition; the first with a key holds
 * @text:	its name, NULL = none
 * @stack:	if it is a stack; owns the addresses
 * @frames:	if it is a stack: numbers of the code of its frames, NULL = not known
 * @code:	if it is code; owns its texts
 */
struct symbol {
	__u64 key;
	__u64 end;
	__u64 order;
	char *text;
	struct ktrace_trace_stack stack;
	__u64 *frames;
	struct ktrace_trace_code code;
};

/* struct symbol_table - ordered by key once ktrace_symbol_table_sort() has been called */
struct symbol_table {
	struct symbol *list;
	size_t nr;
	size_t cap;
	bool is_unordered;
};

/* Takes over @k with all that it owns, also on failure. Returns 0, -ENOMEM. */
int ktrace_symbol_table_add(struct symbol_table *t, const struct symbol *k);
/* Call it after the last addition; searching does not change the table. */
void ktrace_symbol_table_sort(struct symbol_table *t);
/* Returns the symbol with the largest key that is not above @key, NULL = none */
const struct symbol *ktrace_symbol_table_find(const struct symbol_table *t,
						      __u64 key);
void ktrace_symbol_table_free(struct symbol_table *t);

#endif
