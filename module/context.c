// SPDX-License-Identifier: GPL-2.0
/*
 * context.c - what a session records with its events, besides their payloads
 *
 * Everything is taken from current when the event happens. Taking a program's stack can fault; a
 * fault is an event, which may want its context, too. So each level of interruption has one buffer
 * for a stack; an event that finds it in use gets no stack.
 */
#include "context.h"
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "ring/port.h"

#define BITS_KNOWN (KTRACE_CONTEXT_KSTACK | KTRACE_CONTEXT_USTACK | KTRACE_CONTEXT_CGROUP | \
		    KTRACE_CONTEXT_NSPID)

/* Most frames of the module itself that may precede those of the kernel. */
#define OWN_FRAMES_MAX 16

enum { LEVEL_TASK, LEVEL_SOFTIRQ, LEVEL_IRQ, LEVEL_NMI, LEVEL_NR };

/**
 * struct scratch - stack buffer of one CPU at one level
 * @is_taken:	a stack is being taken
 * @address:	the stack's addresses
 */
struct scratch {
	bool is_taken;
	unsigned long address[KTRACE_STACK_FRAMES + OWN_FRAMES_MAX];
};

static struct scratch __percpu *scratches;

static u32 context_level(void)
{
	return in_nmi() ? LEVEL_NMI : in_hardirq() ? LEVEL_IRQ :
	       in_serving_softirq() ? LEVEL_SOFTIRQ : LEVEL_TASK;
}

static bool is_ours(unsigned long address)
{
	return within_module_core(address, THIS_MODULE);
}

static u32 context_add(struct kt_context *c, struct ktrace_stack *head,
		       const unsigned long *address)
{
	if (head->nr >= KTRACE_STACK_FRAMES) {
		head->nr = KTRACE_STACK_FRAMES;
		head->flags = KTRACE_STACK_CUT;
	}
	head->ts = kt_clock(c->clock);
	return kt_stacks_add(&c->stacks, head, address);
}

/* Takes the kernel's stack without the innermost frames, which are the module's own. */
static u32 take_kernel(struct kt_context *c, struct scratch *room)
{
	u32 nr = stack_trace_save(room->address, ARRAY_SIZE(room->address), 0), own = 0;
	struct ktrace_stack head = { .kind = KTRACE_STACK_KERNEL };

	while (own < nr && own < OWN_FRAMES_MAX && is_ours(room->address[own]))
		own++;
	head.nr = nr - own;
	return context_add(c, &head, room->address + own);
}

/*
 * Follows frame pointers, only up the stack, so it ends. Of a 32-bit program only the instruction
 * pointer is recorded.
 */
static u32 context_walk(unsigned long fp, unsigned long *address, u32 max)
{
	struct kt_arch_frame frame;
	u32 nr = 0;

	while (nr < max && fp && fp % sizeof(fp) == 0) {
		if (copy_from_user_nofault(&frame, (const void __user *)fp, sizeof(frame)) ||
		    !frame.caller)
			break;
		address[nr++] = kt_arch_code_address(frame.caller);
		if (frame.next <= fp)
			break;
		fp = frame.next;
	}
	return nr;
}

static u32 take_user(struct kt_context *c, struct scratch *room)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct ktrace_stack head = {
		.kind = KTRACE_STACK_USER,
		.pid = current->tgid,
		.program = (u32)READ_ONCE(current->self_exec_id),
	};

	/* In exec() the registers are the old program's, and the memory is the new one's. */
	if (!user_mode(regs) || kt_compat_is_in_exec(regs))
		return 0;
	room->address[0] = instruction_pointer(regs);
	head.nr = 1;
	if (kt_arch_is_64bit(regs))
		head.nr += context_walk(frame_pointer(regs), room->address + 1,
					KTRACE_STACK_FRAMES - 1);
	return context_add(c, &head, room->address);
}

/*
 * Returns the number of the stack that @take finds, 0: none. A stack that may not be taken, or
 * whose level's buffer is in use, is counted as dropped.
 */
static u64 take_stack(struct kt_context *c, bool is_allowed,
		      u32 (*take)(struct kt_context *c, struct scratch *room))
{
	struct scratch *room = raw_cpu_ptr(scratches) + context_level();
	u32 id;

	if (!is_allowed || room->is_taken) {
		atomic64_inc(&c->stacks.dropped);
		return 0;
	}
	room->is_taken = true;
	barrier();	/* against an event in a fault, which interrupts this level */
	id = take(c, room);
	barrier();
	room->is_taken = false;
	return id ? KTRACE_STACK_NUMBER(c->session, id) : 0;
}

static void context_put(struct kt_context_tail *tail, u32 *nr, u32 kind, u64 value)
{
	tail->items[(*nr)++] = (u64)kind << KTRACE_ITEM_SHIFT | (value & KTRACE_ITEM_MASK);
}

static void put_stacks(struct kt_context *c, u16 bits, struct kt_context_tail *tail, u32 *nr)
{
	const bool is_thread_of_kernel = !current->mm || current->flags & PF_KTHREAD;

	if (bits & KTRACE_CONTEXT_KSTACK)
		context_put(tail, nr, KTRACE_ITEM_KSTACK, take_stack(c, true, take_kernel));
	if (bits & KTRACE_CONTEXT_USTACK && !is_thread_of_kernel)
		context_put(tail, nr, KTRACE_ITEM_USTACK, take_stack(c, !in_nmi(), take_user));
}

/*
 * Returns process and thread id in current's pid namespace; 0 for a thread that was reaped but
 * still runs. Preemption is off, so RCU protects the pids.
 */
static u64 nspid_of_current(void)
{
	struct pid *pid = READ_ONCE(current->thread_pid);
	struct pid_namespace *ns = ns_of_pid(pid);

	if (!ns)
		return 0;
	return (u64)pid_nr_ns(READ_ONCE(current->signal->pids[PIDTYPE_TGID]), ns) <<
	       KTRACE_NSPID_SHIFT | pid_nr_ns(pid, ns);
}

static void put_counters(const struct kt_context *c, u16 bits, struct kt_context_tail *tail,
			 u32 *nr)
{
	u64 value;
	u32 i;

	for (i = 0; i < c->counter_nr && !in_nmi(); i++)
		if (bits & KTRACE_CONTEXT_COUNTER << i && kt_counter_read(c->counters[i], &value))
			context_put(tail, nr, kt_counter_item(c->counters[i]), value);
}

/**
 * kt_context_take - take the context that is recorded with an event
 * @c:		the context
 * @id:		the event
 * @tail:	out
 *
 * Context: that of kt_emit(), preemption off.
 */
void kt_context_take(struct kt_context *c, u16 id, struct kt_context_tail *tail)
{
	const u16 bits = id < c->id_nr ? c->bits[id] : 0;
	u32 nr = 0;
	u16 count;

	tail->len = 0;
	if (!bits)
		return;
	put_counters(c, bits, tail, &nr);
	put_stacks(c, bits, tail, &nr);
	if (bits & KTRACE_CONTEXT_CGROUP)
		context_put(tail, &nr, KTRACE_ITEM_CGROUP, kt_compat_cgroup_id(current));
	if (bits & KTRACE_CONTEXT_NSPID)
		context_put(tail, &nr, KTRACE_ITEM_NSPID, nspid_of_current());
	if (!nr)
		return;
	count = nr;
	memcpy(&tail->items[nr], &count, sizeof(count));
	tail->len = nr * sizeof(u64) + sizeof(count);
}

/** kt_context_has - true if context is recorded with the event. Context: any */
bool kt_context_has(const struct kt_context *c, u16 id)
{
	return id < c->id_nr && c->bits[id];
}

/**
 * kt_context_check - check whether context can be recorded with an event
 * @c:		the context
 * @bits:	KTRACE_CONTEXT_*
 *
 * Context: any.
 * Return: 0; -EINVAL unknown bits, or counters that were not added; -EOPNOTSUPP no cgroups in
 * this kernel.
 */
int kt_context_check(const struct kt_context *c, u16 bits)
{
	const u16 counters = ((1u << c->counter_nr) - 1) * KTRACE_CONTEXT_COUNTER;

	if (bits & ~(BITS_KNOWN | counters))
		return -EINVAL;
	if (bits & KTRACE_CONTEXT_CGROUP && !IS_ENABLED(CONFIG_CGROUPS))
		return -EOPNOTSUPP;
	return 0;
}

/**
 * kt_context_add_counter - add a counter
 * @c:		the context
 * @spec:	type and config; its index is filled in
 *
 * Context: process, sleeps.
 * Return: 0; -ENOSPC; or as kt_counter_new().
 */
int kt_context_add_counter(struct kt_context *c, struct ktrace_counter *spec)
{
	int err;

	if (c->counter_nr == KTRACE_COUNTERS_MAX)
		return -ENOSPC;
	err = kt_counter_new(spec, &c->counters[c->counter_nr]);
	if (!err)
		spec->index = c->counter_nr++;
	return err;
}

/**
 * kt_context_new - make a context that records nothing yet
 * @id_nr:	event ids are below this
 * @clock:	enum ktrace_clock
 * @session:	id of the session
 *
 * Context: process, sleeps.
 * Return: the context, NULL without memory.
 */
struct kt_context *kt_context_new(u32 id_nr, u32 clock, u64 session)
{
	struct kt_context *c = kvzalloc(struct_size(c, bits, id_nr), GFP_KERNEL_ACCOUNT);

	if (!c)
		return NULL;
	c->id_nr = id_nr;
	c->clock = clock;
	c->session = session;
	if (!kt_stacks_init(&c->stacks))
		return c;
	kvfree(c);
	return NULL;
}

/** kt_context_stop - free the counters; stacks can still be read. Context: process, sleeps */
void kt_context_stop(struct kt_context *c)
{
	u32 i;

	for (i = 0; c && i < c->counter_nr; i++)
		kt_counter_free(c->counters[i]);
	if (c)
		c->counter_nr = 0;
}

/** kt_context_free - free a context, or NULL. Context: process, sleeps */
void kt_context_free(struct kt_context *c)
{
	if (!c)
		return;
	kt_context_stop(c);
	kt_stacks_exit(&c->stacks);
	kvfree(c);
}

/** kt_context_init - allocate the scratch memory for stacks. Return: 0; -ENOMEM */
int kt_context_init(void)
{
	scratches = __alloc_percpu(LEVEL_NR * sizeof(struct scratch), __alignof__(struct scratch));
	return scratches ? 0 : -ENOMEM;
}

/** kt_context_exit - free the scratch memory */
void kt_context_exit(void)
{
	free_percpu(scratches);
}
