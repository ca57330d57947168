/* SPDX-License-Identifier: GPL-2.0 */
/* sieve.h - which events of a type a session wants: a program of match.h, and its inputs */
#ifndef KT_SIEVE_H
#define KT_SIEVE_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/ktrace.h>
#include "match.h"

/**
 * struct kt_sieve - one program; constant
 * @rcu:	for its end
 * @bytes:	memory, to be charged to the session
 * @asks_cgroup: it asks for the cgroup
 * @match:	the program, checked; what it points to is behind it
 */
struct kt_sieve {
	struct rcu_head rcu;
	u32 bytes;
	bool asks_cgroup;
	struct kt_match match;
	struct ktrace_match_step steps[];
};

int kt_sieve_make(const struct ktrace_kernel_filter *from, struct kt_sieve **out);
void kt_sieve_free(struct kt_sieve *v);
void kt_sieve_retire(struct kt_sieve *v);

bool kt_sieve_passes(const struct kt_sieve *v, const void *payload, u32 len, u32 tid_flags,
		     bool is_seen, s64 *work);

#endif
