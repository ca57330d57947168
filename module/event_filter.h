/* SPDX-License-Identifier: GPL-2.0 */
/* event_filter.h - which events of a type a session wants: a filter program, and its inputs */
#ifndef KT_EVENT_FILTER_H
#define KT_EVENT_FILTER_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/ktrace.h>
#include "match/filter_vm.h"

/**
 * struct kt_event_filter - one program; constant
 * @rcu:	for freeing
 * @bytes:	memory, to be charged to the session
 * @asks_cgroup: the program asks for the cgroup
 * @match:	the program, checked
 * @steps:	its steps; its texts follow them
 */
struct kt_event_filter {
	struct rcu_head rcu;
	u32 bytes;
	bool asks_cgroup;
	struct kt_filter_vm match;
	struct ktrace_match_step steps[];
};

int kt_event_filter_make(const struct ktrace_kernel_filter *from, struct kt_event_filter **out);
void kt_event_filter_free(struct kt_event_filter *v);
void kt_event_filter_retire(struct kt_event_filter *v);

bool kt_event_filter_passes(const struct kt_event_filter *v, const void *payload, u32 len,
			    u32 tid_flags,
			    bool is_seen, s64 *work);

#endif
