/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe_hits.h - how to hit each tracepoint, and what event must come out
 *
 * A tracepoint is hit as the kernel does it, by calling all that is registered with it,
 * but with arguments that are made up: tasks that nobody else has and numbers that do not
 * occur.
 */
#ifndef PROBE_HITS_H
#define PROBE_HITS_H

#include <linux/blk-mq.h>
#include <linux/ktrace.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>
#include <uapi/linux/ktrace_events.h>
#include "probe.h"

#define SOME_PID (PID_MAX_LIMIT - 3)
#define SOME_KERNEL_ADDRESS 0xffffffff12345678ul

/* Two tasks, of a process that the sessions follow and of another. */
extern struct task_struct *followed, *other;

/* Calls everybody who is registered with @tp. */
#define HIT(tp_, type, ...)                                                             \
	do {                                                                            \
		const struct tracepoint_func *func_;                                    \
											\
		preempt_disable_notrace();                                              \
		func_ = rcu_dereference_sched((tp_)->funcs);                            \
		for (; func_ && func_->func; func_++)                                   \
			((type)func_->func)(func_->data, __VA_ARGS__);                  \
		preempt_enable_notrace();                                               \
	} while (0)

/* Row number @nth of event @id: its tracepoint */
struct tracepoint *row_of(u16 id, u32 nth);

/**
 * struct hit - one way to have an event produced
 * @id:		the event
 * @len:	bytes of its payload
 * @payload:	what it must hold, to the last byte
 * @hit:	hits the tracepoint
 */
struct hit {
	u16 id;
	u16 len;
	const void *payload;
	void (*hit)(void);
};

extern const struct hit hits[];
extern const u32 hit_nr;

/* Some of them, for tests of more than one event. */
void hit_switch(void);
void hit_log(void);
void hit_block_issue(void);
void hit_block_complete(void);
void hit_signal_generate(void);
void hit_fault_kernel(void);
void hit_lock_contended(void);
void hit_net_queue(void);
void hit_net_xmit(void);
void hit_net_receive(void);
extern const struct ktrace_ev_sched_switch want_sched_switch;
extern const struct ktrace_ev_block want_block;
extern const struct ktrace_ev_block_complete want_block_complete;

/* What the block events are about: of device 259:7, of its third queue */
extern struct request request;

#endif
