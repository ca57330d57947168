/* SPDX-License-Identifier: GPL-2.0 */
/* budget.h - a limit in total and a limit for each second */
#ifndef KTRACED_BASE_BUDGET_H
#define KTRACED_BASE_BUDGET_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct budget - amounts that may be spent
 * @left:	in total
 * @a_second:	within one second
 * @second:	the current second
 * @spent:	in the current second
 */
struct budget {
	__u64 left;
	__u64 a_second;
	__u64 second;
	__u64 spent;
};

/* Spends @amount at the time @ns. Returns false once a limit was exceeded, and ever after. */
static inline bool budget_spend(struct budget *b, __u64 amount, __u64 ns)
{
	if (ns / 1000000000 != b->second) {
		b->second = ns / 1000000000;
		b->spent = 0;
	}
	b->spent += amount;
	if (amount > b->left || b->spent > b->a_second)
		b->left = b->a_second = 0;
	else
		b->left -= amount;
	return b->a_second;
}

#endif
