/* SPDX-License-Identifier: GPL-2.0 */
/* context.h - what a session records with its events, besides their payloads */
#ifndef KT_CONTEXT_H
#define KT_CONTEXT_H

#include <linux/types.h>
#include <uapi/linux/ktrace_context.h>
#include "counter.h"
#include "stacks.h"

/**
 * struct kt_context - what is recorded with the events of a session
 * @id_nr:	event ids are below this
 * @clock:	enum ktrace_clock, of the session
 * @session:	its id
 * @counter_nr:	number of @counters
 * @counters:	performance counters
 * @stacks:	stacks recorded so far
 * @bits:	by event: KTRACE_CONTEXT_*
 *
 * Written before the session is first started, except for the stacks and @bits of events that are
 * off.
 */
struct kt_context {
	u32 id_nr;
	u32 clock;
	u64 session;
	u32 counter_nr;
	struct kt_counter *counters[KTRACE_COUNTERS_MAX];
	struct kt_stacks stacks;
	u16 bits[];
};

/**
 * struct kt_context_tail - the bytes after a payload
 * @len:	number of bytes
 * @items:	the items, directly followed by their number
 */
struct kt_context_tail {
	u32 len;
	u64 items[KTRACE_ITEMS_MAX + 1];
};

int kt_context_init(void);
void kt_context_exit(void);

struct kt_context *kt_context_new(u32 id_nr, u32 clock, u64 session);
void kt_context_stop(struct kt_context *c);
void kt_context_free(struct kt_context *c);
bool kt_context_has(const struct kt_context *c, u16 id);
int kt_context_check(const struct kt_context *c, u16 bits);
int kt_context_add_counter(struct kt_context *c, struct ktrace_counter *spec);

void kt_context_take(struct kt_context *c, u16 id, struct kt_context_tail *tail);

#endif
