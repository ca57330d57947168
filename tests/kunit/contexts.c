// SPDX-License-Identifier: GPL-2.0
/*
 * contexts.c - have a function called in a real softirq, hardirq or NMI
 *
 * An NMI is an interprocessor interrupt to this CPU with that delivery mode; QEMU's
 * emulated processor delivers it like a real one. All NMIs between contexts_init() and
 * contexts_exit() are taken for ours: virtual machines have no other.
 */
#include "contexts.h"
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>

/* Time between two timers of a storm, for the rest of the kernel. */
#define STORM_GAP_NS (200 * NSEC_PER_USEC)
/* Long enough for an interrupt on an emulated and sanitized processor. */
#define SPINS_MAX 20000000

struct source {
	struct tasklet_struct tasklet;
	struct irq_work work;
	struct hrtimer timer;
	bool done[CONTEXT_NR];
};

static DEFINE_PER_CPU(struct source, sources);
static context_fn called;
static bool is_storm;

static void arrive(enum context context)
{
	called(context);
	WRITE_ONCE(this_cpu_ptr(&sources)->done[context], true);
}

static void on_tasklet(struct tasklet_struct *tasklet)
{
	arrive(CONTEXT_SOFTIRQ);
}

static void on_irq_work(struct irq_work *work)
{
	arrive(CONTEXT_IRQ_WORK);
}

static void send_nmi(int cpu)
{
	apic->send_IPI(cpu, NMI_VECTOR);
}

static void raise_others(struct source *s)
{
	const u32 random = get_random_u32();

	if (random & 1)
		tasklet_hi_schedule(&s->tasklet);
	if (random & 2)
		irq_work_queue(&s->work);
	if (random & 4)
		send_nmi(cpumask_nth((random >> 8) % num_online_cpus(), cpu_online_mask));
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	arrive(CONTEXT_HRTIMER);
	if (!READ_ONCE(is_storm))
		return HRTIMER_NORESTART;
	raise_others(this_cpu_ptr(&sources));
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), STORM_GAP_NS));
	return HRTIMER_RESTART;
}

static int on_nmi(unsigned int cmd, struct pt_regs *regs)
{
	arrive(CONTEXT_NMI);
	return NMI_HANDLED;
}

int contexts_init(context_fn fn)
{
	struct source *s;
	int cpu;

	called = fn;
	for_each_possible_cpu(cpu) {
		s = per_cpu_ptr(&sources, cpu);
		tasklet_setup(&s->tasklet, on_tasklet);
		s->work = IRQ_WORK_INIT_HARD(on_irq_work);
#ifdef KT_HAS_HRTIMER_SETUP
		hrtimer_setup(&s->timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
		hrtimer_init(&s->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		s->timer.function = on_timer;
#endif
	}
	return register_nmi_handler(NMI_LOCAL, on_nmi, 0, "ktrace_kunit");
}

static void start_timer(void *unused)
{
	hrtimer_start(&this_cpu_ptr(&sources)->timer, 0, HRTIMER_MODE_REL_PINNED_HARD);
}

void contexts_storm(void)
{
	WRITE_ONCE(is_storm, true);
	on_each_cpu(start_timer, NULL, true);
}

static void raise_last_nmi(void *unused)
{
	context_raise(CONTEXT_NMI);
}

void contexts_exit(void)
{
	struct source *s;
	int cpu;

	WRITE_ONCE(is_storm, false);
	for_each_online_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(&sources, cpu)->timer);
	for_each_online_cpu(cpu) {
		s = per_cpu_ptr(&sources, cpu);
		irq_work_sync(&s->work);
		tasklet_kill(&s->tasklet);
		smp_call_function_single(cpu, raise_last_nmi, NULL, true);
	}
	unregister_nmi_handler(NMI_LOCAL, "ktrace_kunit");
}

void context_poke(enum context context)
{
	if (context == CONTEXT_NMI)
		send_nmi(smp_processor_id());
	else
		irq_work_queue(&this_cpu_ptr(&sources)->work);
}

static bool wait_for(const bool *done)
{
	int i;

	for (i = 0; i < SPINS_MAX && !READ_ONCE(*done); i++)
		cpu_relax();
	return READ_ONCE(*done);
}

bool context_raise(enum context context)
{
	struct source *s = this_cpu_ptr(&sources);
	bool *done = &s->done[context];

	WRITE_ONCE(*done, false);
	switch (context) {
	case CONTEXT_SOFTIRQ:
		local_bh_disable();
		tasklet_hi_schedule(&s->tasklet);
		local_bh_enable();	/* runs it here, unless ksoftirqd is at it */
		return READ_ONCE(*done);
	case CONTEXT_HRTIMER:
		hrtimer_start(&s->timer, 0, HRTIMER_MODE_REL_PINNED_HARD);
		return wait_for(done);
	case CONTEXT_IRQ_WORK:
	case CONTEXT_NMI:
		context_poke(context);
		return wait_for(done);
	default:
		return false;
	}
}
