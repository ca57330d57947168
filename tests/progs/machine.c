// SPDX-License-Identifier: GPL-2.0
/*
 * machine.c - a tracefile of what a kernel would record, of any length
 *
 * usage: machine EVENTS FILE
 *
 * 4 CPUs, 200 threads. They call, block, wake each other, are interrupted and preempted; one
 * in 2000 switches ends a thread, which its parent reaps and replaces, so that numbers of
 * threads grow with the trace while as many live. Every run makes the same file.
 */
#include <ktrace/tracefile.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ktrace_events.h>

#include "ring/ring.h"

#define CPUS 4u
#define THREADS 200u
#define BLOCK 65536u
#define ROOM 128u		/* the longest record */
#define WAIT4 61u

static const char *const meta[] = {
	"host boot=made machine=x86_64",
	"clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000",
	"event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;"
	"s32%20next_prio;enum<u32>(RUNNABLE=0,SLEEP=1,DISK=2,DEAD=5)%20prev_state;"
	"char[16]%20prev_comm;char[16]%20next_comm;}",
	"event kind=kernel id=65 desc=sched:wakeup{u32%20tid;s32%20prio;u32%20target_cpu;"
	"char[16]%20comm;}",
	"event kind=kernel id=67 desc=sched:fork{u32%20parent_tid;u32%20parent_pid;u32%20child_tid;"
	"u32%20child_pid;char[16]%20comm;}",
	"event kind=kernel id=69 desc=sched:exit{u32%20tid;u32%20pid;s32%20prio;char[16]%20comm;}",
	"event kind=kernel id=96 desc=syscall:enter{u64%20nr;x64[6]%20args;}",
	"event kind=kernel id=97 desc=syscall:exit{u64%20nr;s64%20ret;}",
	"event kind=kernel id=128 desc=irq:enter{u32%20irq;char[16]%20name;}",
	"event kind=kernel id=129 desc=irq:exit{u32%20irq;u32%20handled;}",
	"event kind=kernel id=160 desc=softirq:enter{u32%20vec;}",
	"event kind=kernel id=161 desc=softirq:exit{u32%20vec;}",
};

/* struct call - what is being executed on top of the program */
struct call {
	__u32 exit_id;
	__u32 number;
};

/* struct thread - @calls: from the program upwards */
struct thread {
	__u32 tid;
	struct call calls[4];
	int depth;
};

/* struct cpu - a CPU and its stream */
struct cpu {
	struct thread *runs;
	struct thread idle;
	char block[BLOCK];
	__u32 size;
	__u32 records;
	__u64 first_ts;
	__u64 pos;
};

/* struct set - threads in no order */
struct set {
	struct thread *at[THREADS];
	__u32 nr;
};

static struct ktrace_tracefile *file;
static struct cpu cpus[CPUS];
static struct thread threads[THREADS];
static struct set ready, blocked;
static __u64 now = 1000, events, seed = 88172645463325252ull;
static __u32 next_tid = 1000;

static __u32 draw(__u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (__u32)(seed >> 20) % n;
}

static void check(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "machine: %s\n", strerror(-ret));
	exit(1);
}

static void end_block(struct cpu *c)
{
	struct ktrace_block header = { .ts = c->first_ts, .magic = KTRACE_BLOCK_MAGIC,
				       .pos = c->pos };
	struct ktrace_tracefile_block b = {
		.stream = (__u32)(c - cpus), .records = c->records, .pos = c->pos,
		.first_ts = c->first_ts, .last_ts = now, .data = c->block, .size = c->size,
	};

	memcpy(c->block, &header, sizeof(header));
	check(ktrace_tracefile_block(file, &b));
	c->pos += BLOCK;
	c->records = 0;
}

static void put(struct cpu *c, __u16 id, const void *payload, __u16 len)
{
	struct ktrace_record rec = { .ts = now, .id = id, .len = len,
				     .tid_flags = c->runs->tid };

	if (c->size + ROOM > BLOCK)
		end_block(c);
	if (!c->records++) {
		c->size = sizeof(struct ktrace_block);
		c->first_ts = now;
	}
	memset(c->block + c->size, 0, KTRACE_RECORD_SIZE(len));
	memcpy(c->block + c->size, &rec, sizeof(rec));
	memcpy(c->block + c->size + sizeof(rec), payload, len);
	c->size += KTRACE_RECORD_SIZE(len);
	events++;
}

static void name_thread(char *comm, const struct thread *t)
{
	snprintf(comm, KTRACE_COMM_LEN, t->tid ? "worker-%u" : "swapper", t->tid % 50);
}

static struct thread *take(struct set *s)
{
	__u32 i = draw(s->nr);
	struct thread *t = s->at[i];

	s->at[i] = s->at[--s->nr];
	return t;
}

static void switch_to(struct cpu *c, struct thread *next, __u32 state)
{
	struct ktrace_ev_sched_switch e = {
		.prev_tid = c->runs->tid, .next_tid = next->tid, .prev_prio = 120,
		.next_prio = 120, .prev_state = state,
	};

	name_thread(e.prev_comm, c->runs);
	name_thread(e.next_comm, next);
	put(c, KTRACE_EV_SCHED_SWITCH, &e, sizeof(e));
	c->runs = next;
}

/* Another thread if there is one; the one that ran goes where @state says. */
static void schedule(struct cpu *c, __u32 state)
{
	struct thread *prev = c->runs, *next = ready.nr ? take(&ready) : &c->idle;

	if (prev == next)
		return;
	switch_to(c, next, state);
	if (prev->tid && state == KTRACE_TASK_RUNNABLE)
		ready.at[ready.nr++] = prev;
	else if (prev->tid)
		blocked.at[blocked.nr++] = prev;
}

static void wake(struct cpu *c)
{
	struct ktrace_ev_sched_wakeup e = { .prio = 120, .target_cpu = (__u32)(c - cpus) };
	struct thread *t;

	if (!blocked.nr)
		return;
	t = take(&blocked);
	e.tid = t->tid;
	name_thread(e.comm, t);
	put(c, KTRACE_EV_SCHED_WAKEUP, &e, sizeof(e));
	ready.at[ready.nr++] = t;
}

static void enter(struct cpu *c, __u16 id, __u32 number)
{
	struct thread *t = c->runs;
	__u64 syscall[7] = { number, 3, now, 4096 };
	struct { __u32 irq; char name[16]; } irq = { number, "device" };

	if (id == KTRACE_EV_SYSCALL_ENTER)
		put(c, id, syscall, sizeof(syscall));
	else if (id == KTRACE_EV_IRQ_ENTER)
		put(c, id, &irq, sizeof(irq));
	else
		put(c, id, &number, sizeof(number));
	t->calls[t->depth++] = (struct call){ id + 1u, number };
}

static void leave_with(struct cpu *c, __u64 ret)
{
	struct call call = c->runs->calls[--c->runs->depth];
	__u64 syscall[2] = { call.number, ret };
	__u32 other[2] = { call.number, 1 };

	if (call.exit_id == KTRACE_EV_SYSCALL_EXIT)
		put(c, KTRACE_EV_SYSCALL_EXIT, syscall, sizeof(syscall));
	else
		put(c, (__u16)call.exit_id, other, call.exit_id == KTRACE_EV_IRQ_EXIT ? 8 : 4);
}

static void leave(struct cpu *c)
{
	static const __s64 results[] = { 0, 1, 4096, -4, -11, 100 };

	leave_with(c, (__u64)results[draw(6)]);
}

/* The thread on @c ends; the next one reaps it, and makes another of its place in memory. */
static void replace(struct cpu *c)
{
	struct thread *dead = c->runs, *parent = ready.nr ? take(&ready) : NULL;
	struct ktrace_ev_sched_exit e = { .tid = dead->tid, .pid = dead->tid, .prio = 120 };
	struct ktrace_ev_sched_fork f;

	if (!parent)
		return;
	name_thread(e.comm, dead);
	put(c, KTRACE_EV_SCHED_EXIT, &e, sizeof(e));
	switch_to(c, parent, KTRACE_TASK_DEAD);
	if (parent->depth)
		leave(c);
	enter(c, KTRACE_EV_SYSCALL_ENTER, WAIT4);
	leave_with(c, dead->tid);
	*dead = (struct thread){ .tid = next_tid++ };
	f = (struct ktrace_ev_sched_fork){ .parent_tid = parent->tid, .parent_pid = parent->tid,
					   .child_tid = dead->tid, .child_pid = dead->tid };
	name_thread(f.comm, dead);
	put(c, KTRACE_EV_SCHED_FORK, &f, sizeof(f));
	blocked.at[blocked.nr++] = dead;
}

static void in_interrupt(struct cpu *c, __u32 top, __u32 what)
{
	if (what < 20)
		wake(c);
	else if (what < 30 && top == KTRACE_EV_SOFTIRQ_EXIT)
		enter(c, KTRACE_EV_IRQ_ENTER, 20 + draw(3));
	else
		leave(c);
}

static void step(void)
{
	static const __u32 calls[] = { 0, 1, 35, 74, 202 }, pauses[] = { 1, 1, 3, 20, 150, 1000 };
	struct cpu *c = &cpus[draw(CPUS)];
	struct thread *t = c->runs;
	__u32 top = t->depth ? t->calls[t->depth - 1].exit_id : 0, what = draw(100);

	now += pauses[draw(6)];
	if (top > KTRACE_EV_SYSCALL_EXIT)
		in_interrupt(c, top, what);
	else if (what < 10)
		enter(c, KTRACE_EV_IRQ_ENTER, 20 + draw(3));
	else if (what < 20)
		enter(c, KTRACE_EV_SOFTIRQ_ENTER, draw(3));
	else if (what < 30)
		wake(c);
	else if (!t->tid || what < 35)
		schedule(c, KTRACE_TASK_RUNNABLE);
	else if (!top && !draw(2000))
		replace(c);
	else if (!top)
		enter(c, KTRACE_EV_SYSCALL_ENTER, calls[draw(5)]);
	else if (what < 60)
		schedule(c, draw(2) ? KTRACE_TASK_SLEEP : KTRACE_TASK_DISK);
	else
		leave(c);
}

static void describe(void)
{
	char line[128];
	size_t i;

	for (i = 0; i < sizeof(meta) / sizeof(meta[0]) + CPUS; i++) {
		const char *text = i < CPUS ? line : meta[i - CPUS];
		char whole[512];

		snprintf(line, sizeof(line), "stream id=%zu kind=kernel cpu=%zu ring=1048576 "
			 "block=65536 policy=drop", i, i);
		check(ktrace_tracefile_meta(file, whole,
					    (size_t)snprintf(whole, sizeof(whole), "%s\n", text)));
	}
}

int main(int argc, char **argv)
{
	__u64 wanted = argc == 3 ? strtoull(argv[1], NULL, 0) : 0;
	__u32 i;

	if (!wanted) {
		fprintf(stderr, "usage: machine EVENTS FILE\n");
		return 2;
	}
	check(ktrace_tracefile_create(argv[2], &file));
	describe();
	for (i = 0; i < CPUS; i++)
		cpus[i].runs = &cpus[i].idle;
	for (i = 0; i < THREADS; i++) {
		threads[i].tid = next_tid++;
		blocked.at[blocked.nr++] = &threads[i];
	}
	while (events < wanted)
		step();
	for (i = 0; i < CPUS; i++)
		if (cpus[i].records)
			end_block(&cpus[i]);
	check(ktrace_tracefile_close(file));
	return 0;
}
