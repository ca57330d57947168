// SPDX-License-Identifier: LGPL-2.1
/*
 * thread_tracking.c - thread names and processes from kernel events, as they are read
 *
 * fork, exec, comm and exit state facts. switch and wakeup carry names of threads that existed
 * before the recording began, or were named in a part that was not read, such as before a position:
 * they are used if a different name, or none, is known.
 */
#include "trace.h"

#include <errno.h>
#include <linux/ktrace_events.h>
#include <string.h>

/* Adds a fact. Thread 0 is ignored: each CPU has its own. */
static int learn(struct trace *t, const struct ktrace_trace_event *e, __u32 tid,
		 struct name fact)
{
	int ret;

	if (!tid)
		return 0;
	fact.raw = e->raw;
	ret = ktrace_names_add(&t->names, tid & KTRACE_TID_MASK, &fact);
	/* The thread keeps the name that it had before. */
	return ret == -E2BIG ? 0 : ret;
}

static struct name fact_of(__u32 pid, const char comm[KTRACE_COMM_LEN])
{
	struct name fact = { .pid = pid & KTRACE_TID_MASK };

	memcpy(fact.comm, comm, strnlen(comm, NAME_SIZE - 1));
	return fact;
}

static int learn_name(struct trace *t, const struct ktrace_trace_event *e, __u32 tid,
		      const char comm[KTRACE_COMM_LEN])
{
	const struct name *known = ktrace_names_find(&t->names, tid & KTRACE_TID_MASK, e->raw);

	if (!comm[0] || (known && !strncmp(known->comm, comm, NAME_SIZE - 1)))
		return 0;
	return learn(t, e, tid, fact_of(known ? known->pid : 0, comm));
}

static int learn_fork(struct trace *t, const struct ktrace_trace_event *e)
{
	struct ktrace_ev_sched_fork f;

	memcpy(&f, e->payload, sizeof(f));
	return learn(t, e, f.child_tid, fact_of(f.child_pid, f.comm));
}

/* exec makes the thread its process's leader; the name follows in a comm event. */
static int learn_exec(struct trace *t, const struct ktrace_trace_event *e)
{
	struct ktrace_ev_sched_exec x;
	struct name fact = { 0 };

	memcpy(&x, e->payload, sizeof(x));
	fact.pid = x.pid & KTRACE_TID_MASK;
	return learn(t, e, x.pid, fact);
}

static int learn_exit(struct trace *t, const struct ktrace_trace_event *e)
{
	struct ktrace_ev_sched_exit x;

	memcpy(&x, e->payload, sizeof(x));
	return learn(t, e, x.tid, fact_of(x.pid, x.comm));
}

static int learn_comm(struct trace *t, const struct ktrace_trace_event *e)
{
	struct ktrace_ev_sched_comm c;

	memcpy(&c, e->payload, sizeof(c));
	return learn(t, e, c.tid, fact_of(c.pid, c.comm));
}

static int learn_switch(struct trace *t, const struct ktrace_trace_event *e)
{
	struct ktrace_ev_sched_switch s;
	int ret;

	memcpy(&s, e->payload, sizeof(s));
	ret = learn_name(t, e, s.prev_tid, s.prev_comm);
	return ret ? ret : learn_name(t, e, s.next_tid, s.next_comm);
}

static int learn_wakeup(struct trace *t, const struct ktrace_trace_event *e)
{
	struct ktrace_ev_sched_wakeup w;

	memcpy(&w, e->payload, sizeof(w));
	return learn_name(t, e, w.tid, w.comm);
}

static const struct {
	__u32 size;
	int (*learn)(struct trace *t, const struct ktrace_trace_event *e);
} teachers[] = {
	[KTRACE_EV_SCHED_SWITCH - KTRACE_EV_SCHED_SWITCH] = {
		sizeof(struct ktrace_ev_sched_switch), learn_switch },
	[KTRACE_EV_SCHED_WAKEUP - KTRACE_EV_SCHED_SWITCH] = {
		sizeof(struct ktrace_ev_sched_wakeup), learn_wakeup },
	[KTRACE_EV_SCHED_FORK - KTRACE_EV_SCHED_SWITCH] = {
		sizeof(struct ktrace_ev_sched_fork), learn_fork },
	[KTRACE_EV_SCHED_EXEC - KTRACE_EV_SCHED_SWITCH] = {
		sizeof(struct ktrace_ev_sched_exec), learn_exec },
	[KTRACE_EV_SCHED_EXIT - KTRACE_EV_SCHED_SWITCH] = {
		sizeof(struct ktrace_ev_sched_exit), learn_exit },
	[KTRACE_EV_SCHED_COMM - KTRACE_EV_SCHED_SWITCH] = {
		sizeof(struct ktrace_ev_sched_comm), learn_comm },
};

/* Learns what a kernel event says about threads. Returns 0, -ENOMEM. */
int ktrace_trace_learn(struct trace *t, const struct ktrace_trace_event *e)
{
	__u32 i = e->id - KTRACE_EV_SCHED_SWITCH;

	if (i >= sizeof(teachers) / sizeof(teachers[0]) || !teachers[i].learn ||
	    e->len < teachers[i].size)
		return 0;
	return teachers[i].learn(t, e);
}
