/* SPDX-License-Identifier: GPL-2.0 */
/* stacks.h - the stacks that a session has recorded, each once */
#ifndef KT_STACKS_H
#define KT_STACKS_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/ktrace.h>
#include <uapi/linux/ktrace_context.h>

/**
 * struct kt_stacks - stacks in order of arrival, and a hash table of them
 * @words:	struct ktrace_stack one after the other, each complete once its id is set
 * @slots:	upper half: a stack's hash; lower half: its id; 0 = free
 * @used:	words that have been claimed, by compare-exchange
 * @dropped:	stacks that were not recorded
 *
 * Never shrinks.
 */
struct kt_stacks {
	u64 *words;
	atomic64_t *slots;
	atomic_t used;
	atomic64_t dropped;
};

/* Memory that it takes, to be charged to the session. */
#define KT_STACKS_WORDS (1u << 19)
#define KT_STACKS_SLOTS (1u << 15)
#define KT_STACKS_BYTES ((KT_STACKS_WORDS + KT_STACKS_SLOTS) * sizeof(u64))

int kt_stacks_init(struct kt_stacks *s);
void kt_stacks_exit(struct kt_stacks *s);

u32 kt_stacks_add(struct kt_stacks *s, const struct ktrace_stack *head,
		  const unsigned long *address);
int kt_stacks_read(const struct kt_stacks *s, struct ktrace_stacks *arg);

#endif
