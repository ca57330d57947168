/* SPDX-License-Identifier: GPL-2.0 */
/* make_kernel.h - tracefiles with kernel events, for tests of what is made of them */
#ifndef TESTS_MAKE_KERNEL_H
#define TESTS_MAKE_KERNEL_H

#include <ktrace/session.h>
#include <linux/ktrace_events.h>

#include "make_trace.h"

/* struct kernel_row - one event; what @a to @c are depends on its kind, see below */
struct kernel_row {
	__u64 ts;
	__u32 cpu;
	__u32 tid;
	__u16 id;
	__u32 a;
	__u32 b;
	__u32 c;
};

/* A file that describes all kernel events; a stamp is a ns since the epoch, + 1. */
static inline struct ktrace_tracefile *make_kernel_file(const char *path, struct maker *cpus,
							__u32 cpu_nr)
{
	struct ktrace_tracefile *tf = make_file(path, 1);
	const struct ktrace_kernel_event *ev;
	struct ktrace_text t = { 0 };
	char line[96];
	__u32 i;

	for (i = 0; (ev = ktrace_kernel_event(i)); i++) {
		ktrace_text_line(&t, "event");
		ktrace_text_str(&t, "kind", "kernel");
		ktrace_text_u64(&t, "id", ev->id);
		ktrace_text_str(&t, "desc", ev->desc);
	}
	for (i = 0; i < cpu_nr; i++) {
		snprintf(line, sizeof(line), "stream id=%u kind=kernel cpu=%u ring=65536 "
			 "block=%u policy=drop", i, i, MAKE_BLOCK);
		ktrace_text_line(&t, line);
		memset(&cpus[i], 0, sizeof(cpus[i]));
		cpus[i].tf = tf;
		cpus[i].block.stream = i;
	}
	CHECK_EQ(ktrace_text_flush(&t, tf), 0);
	ktrace_text_free(&t);
	return tf;
}

static inline void make_name(char *to, __u32 tid)
{
	memset(to, 0, KTRACE_COMM_LEN);
	snprintf(to, KTRACE_COMM_LEN, "t%u", tid);
}

/* The payload of a row; returns its size. */
static inline __u16 make_payload(const struct kernel_row *r, void *to)
{
	struct ktrace_ev_sched_switch sw = { .prev_tid = r->a, .next_tid = r->b,
					     .prev_state = r->c };
	struct ktrace_ev_sched_wakeup wake = { .tid = r->a, .target_cpu = r->b };
	struct ktrace_ev_sched_migrate move = { .tid = r->a, .from_cpu = r->b, .to_cpu = r->c };
	struct ktrace_ev_sched_fork fork = { .parent_tid = r->tid, .parent_pid = r->a,
					     .child_tid = r->b, .child_pid = r->c };
	struct ktrace_ev_sched_exec exec = { .pid = r->a, .old_tid = r->b };
	struct ktrace_ev_sched_exit gone = { .tid = r->a, .pid = r->b };
	struct ktrace_ev_syscall_enter enter = { .nr = (__s32)r->a, .abi = r->c };
	struct ktrace_ev_syscall_exit leave = { .nr = (__s32)r->a, .abi = r->c,
						.ret = (__s32)r->b };
	struct ktrace_ev_irq_enter irq = { .irq = r->a };
	struct ktrace_ev_irq_exit irq_exit = { .irq = r->a, .handled = r->b };
	struct ktrace_ev_softirq softirq = { .vec = r->a };
	struct ktrace_ev_block block = { .dev = r->a, .op = r->b };
	struct ktrace_ev_block_complete done = { .dev = r->a, .op = r->b, .left = r->c };

	make_name(sw.prev_comm, r->a);
	make_name(sw.next_comm, r->b);
	make_name(wake.comm, r->a);
	make_name(move.comm, r->a);
	make_name(fork.comm, r->b);
	make_name(gone.comm, r->a);
	snprintf(irq.name, sizeof(irq.name), "dev%u", r->a);
#define PUT(payload) (memcpy(to, &(payload), sizeof(payload)), (__u16)sizeof(payload))
	switch (r->id) {
	case KTRACE_EV_SCHED_SWITCH: return PUT(sw);
	case KTRACE_EV_SCHED_WAKEUP: return PUT(wake);
	case KTRACE_EV_SCHED_MIGRATE: return PUT(move);
	case KTRACE_EV_SCHED_FORK: return PUT(fork);
	case KTRACE_EV_SCHED_EXEC: return PUT(exec);
	case KTRACE_EV_SCHED_EXIT: return PUT(gone);
	case KTRACE_EV_SYSCALL_ENTER: return PUT(enter);
	case KTRACE_EV_SYSCALL_EXIT: return PUT(leave);
	case KTRACE_EV_IRQ_ENTER: return PUT(irq);
	case KTRACE_EV_IRQ_EXIT: return PUT(irq_exit);
	case KTRACE_EV_BLOCK_ISSUE: case KTRACE_EV_BLOCK_REQUEUE: return PUT(block);
	case KTRACE_EV_BLOCK_COMPLETE: return PUT(done);
	default: return PUT(softirq);
	}
#undef PUT
}

static inline void make_kernel_event(struct maker *cpus, const struct kernel_row *r)
{
	struct ktrace_record rec = { .ts = r->ts, .id = r->id, .tid_flags = r->tid };
	char payload[128];

	rec.len = make_payload(r, payload);
	make_record(&cpus[r->cpu], &rec, payload);
}

static inline void make_kernel_end(struct ktrace_tracefile *tf, struct maker *cpus, __u32 cpu_nr)
{
	__u32 i;

	for (i = 0; i < cpu_nr; i++)
		make_end_block(&cpus[i]);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

#define SWITCH(ts, cpu, prev, next, state) \
	{ ts, cpu, prev, KTRACE_EV_SCHED_SWITCH, prev, next, state }
#define WAKEUP(ts, cpu, by, tid, to) { ts, cpu, by, KTRACE_EV_SCHED_WAKEUP, tid, to, 0 }
#define MIGRATE(ts, cpu, by, tid, from, to) \
	{ ts, cpu, by, KTRACE_EV_SCHED_MIGRATE, tid, from, to }
#define FORK(ts, cpu, by, pid, child_tid, child_pid) \
	{ ts, cpu, by, KTRACE_EV_SCHED_FORK, pid, child_tid, child_pid }
#define EXEC(ts, cpu, by, pid, old) { ts, cpu, by, KTRACE_EV_SCHED_EXEC, pid, old, 0 }
#define EXIT(ts, cpu, tid, pid) { ts, cpu, tid, KTRACE_EV_SCHED_EXIT, tid, pid, 0 }
#define ENTER(ts, cpu, tid, nr) { ts, cpu, tid, KTRACE_EV_SYSCALL_ENTER, nr, 0, 0 }
#define LEAVE(ts, cpu, tid, nr, ret) { ts, cpu, tid, KTRACE_EV_SYSCALL_EXIT, nr, ret, 0 }
/* Of an ABI that is not the machine's own */
#define ENTER_OF(ts, cpu, tid, nr, abi) { ts, cpu, tid, KTRACE_EV_SYSCALL_ENTER, nr, 0, abi }
#define LEAVE_OF(ts, cpu, tid, nr, abi, ret) \
	{ ts, cpu, tid, KTRACE_EV_SYSCALL_EXIT, nr, ret, abi }
#define IRQ(ts, cpu, tid, irq) { ts, cpu, tid, KTRACE_EV_IRQ_ENTER, irq, 0, 0 }
#define IRQ_END(ts, cpu, tid, irq) { ts, cpu, tid, KTRACE_EV_IRQ_EXIT, irq, 1, 0 }
#define SOFTIRQ(ts, cpu, tid, vec) { ts, cpu, tid, KTRACE_EV_SOFTIRQ_ENTER, vec, 0, 0 }
#define ISSUE(ts, cpu, dev, op) { ts, cpu, 0, KTRACE_EV_BLOCK_ISSUE, dev, op, 0 }
#define REQUEUE(ts, cpu, dev, op) { ts, cpu, 0, KTRACE_EV_BLOCK_REQUEUE, dev, op, 0 }
#define COMPLETE(ts, cpu, dev, op, left) { ts, cpu, 0, KTRACE_EV_BLOCK_COMPLETE, dev, op, left }
#define SOFTIRQ_END(ts, cpu, tid, vec) { ts, cpu, tid, KTRACE_EV_SOFTIRQ_EXIT, vec, 0, 0 }

#endif
