/* SPDX-License-Identifier: GPL-2.0 */
/* budget.h - so much in all, and so much in a second */
#ifndef KTRACED_BASE_BUDGET_H
#define KTRACED_BASE_BUDGET_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct budget - what may be spent
 * @left:	in all
 * @a_second:	within one second
 * @second:	the one that it is now
 * @spent:	in it
 */
struct budget {
	__u64 left;
	__u64 a_second;
	__u64 second;
	__u64 spent;
};

/* Spends @amount at a time in ns. false: that was more than there is, now and forever. */
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
