/* SPDX-License-Identifier: GPL-2.0 */
/* probe.h - the table of probes: which kernel events exist and what produces them */
#ifndef KT_PROBE_H
#define KT_PROBE_H

#include <linux/build_bug.h>
#include <linux/types.h>

struct static_key_false;
struct tracepoint;

/**
 * struct kt_probe - one row: something that produces event @id
 * @id:		event; several rows may produce the same
 * @tracks:	also keeps the process filters up to date, so it runs in every session
 * @tracepoint:	name of the tracepoint that @func hooks, or
 * @key:	static key to switch
 * @func:	the function, a tracepoint's callback; NULL: the kernel has no such tracepoint
 * @tp:		the tracepoint, found at init
 * @users:	running sessions that need it, under the table's lock
 */
struct kt_probe {
	u16 id;
	bool tracks;
	const char *tracepoint;
	struct static_key_false *key;
	void *func;
	struct tracepoint *tp;
	unsigned int users;
};

/* True if tracepoint @name calls a function with the arguments of @func. */
#define KT_TRACEPOINT_CALLS(name, callback)                                     \
	__same_type(check_trace_callback_type_##name, void (typeof(callback) *))

/* A tracepoint's row. Fails to compile when its arguments are not those of @callback. */
#define KT_TRACEPOINT(event, name, callback)                                    \
	.id = event, .tracepoint = #name,                                       \
	.func = (void *)callback + BUILD_BUG_ON_ZERO(!KT_TRACEPOINT_CALLS(name, callback))

/* Likewise, for a tracepoint whose arguments differ between kernels. */
#define KT_TRACEPOINT_EITHER(event, name, callback, other)                      \
	.id = event, .tracepoint = #name,                                       \
	.func = __builtin_choose_expr(KT_TRACEPOINT_CALLS(name, callback), (void *)callback, \
		(void *)other + BUILD_BUG_ON_ZERO(!KT_TRACEPOINT_CALLS(name, callback) && \
						  !KT_TRACEPOINT_CALLS(name, other)))

/*
 * A row for a tracepoint that this kernel does not have, or has with unknown arguments: nothing is
 * hooked, and enabling the event fails with -EOPNOTSUPP.
 */
#define KT_TRACEPOINT_ABSENT(event, name) .id = event, .tracepoint = #name

/*
 * Families, with their first and last events: events are numbered without gaps. Each family has its
 * file, probe/<family>.c, with its rows, kt_probe_<family>[]; an empty row ends them.
 */
#define KT_PROBE_FAMILIES(family)                                               \
	family(log, KTRACE_EV_LOGEVENT, KTRACE_EV_LOGEVENT)                     \
	family(sched, KTRACE_EV_SCHED_SWITCH, KTRACE_EV_SCHED_COMM)             \
	family(syscall, KTRACE_EV_SYSCALL_ENTER, KTRACE_EV_SYSCALL_EXIT)        \
	family(irq, KTRACE_EV_IRQ_ENTER, KTRACE_EV_IRQ_EXIT)                    \
	family(softirq, KTRACE_EV_SOFTIRQ_ENTER, KTRACE_EV_SOFTIRQ_RAISE)       \
	family(block, KTRACE_EV_BLOCK_ISSUE, KTRACE_EV_BLOCK_REQUEUE)           \
	family(signal, KTRACE_EV_SIGNAL_GENERATE, KTRACE_EV_SIGNAL_DELIVER)     \
	family(fault, KTRACE_EV_FAULT_USER, KTRACE_EV_FAULT_KERNEL)             \
	family(lock, KTRACE_EV_LOCK_CONTENDED, KTRACE_EV_LOCK_ACQUIRED)         \
	family(power, KTRACE_EV_POWER_IDLE, KTRACE_EV_POWER_FREQUENCY)          \
	family(module, KTRACE_EV_MODULE_LOAD, KTRACE_EV_MODULE_REQUEST)         \
	family(net, KTRACE_EV_NET_QUEUE, KTRACE_EV_NET_RECEIVE)                 \
	family(workqueue, KTRACE_EV_WORKQUEUE_QUEUE, KTRACE_EV_WORKQUEUE_END)   \
	family(timer, KTRACE_EV_TIMER_START, KTRACE_EV_TIMER_EXIT)              \
	family(hrtimer, KTRACE_EV_HRTIMER_START, KTRACE_EV_HRTIMER_EXIT)        \
	family(memory, KTRACE_EV_MEMORY_RSS, KTRACE_EV_MEMORY_OOM)              \
	family(futex, KTRACE_EV_FUTEX_ENTER, KTRACE_EV_FUTEX_EXIT)

#define KT_PROBE_DECLARE(name, first, last) extern struct kt_probe kt_probe_##name[];
KT_PROBE_FAMILIES(KT_PROBE_DECLARE)
#undef KT_PROBE_DECLARE

int kt_probe_init(void);
void kt_probe_exit(void);

int kt_probe_check(u16 id);
int kt_probe_get(u16 id);
void kt_probe_put(u16 id);
int kt_probe_get_tracking(void);
void kt_probe_put_tracking(void);
void kt_probe_quiesce(void);

#endif
