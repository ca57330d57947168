// SPDX-License-Identifier: GPL-2.0
/*
 * panic_log.c - S.Ha.R.K. events in a panic, while another CPU was stopped storing one
 *
 * A CPU stops while it holds the tracer's lock, as if by an NMI of kdump's: in a probe on the
 * function that stores an event where something is to be decided, as there always is in a chunk of
 * one slot. This one panics. A notifier logs some events, and says when it has done so.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktrace_shark.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/smp.h>

enum { SLOT = sizeof(struct ktrace_shark_event), EVENTS = 1000 };

static bool has_stopped;

static int stop_for_ever(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(has_stopped, true);
	for (;;)
		cpu_relax();
	return 0;
}

static struct kprobe stop = { .symbol_name = "kt_shark_store_slow", .pre_handler = stop_for_ever };

static int log_on(struct notifier_block *n, unsigned long action, void *message)
{
	const u64 begin = ktime_get_mono_fast_ns();
	int i;

	for (i = 0; i < EVENTS; i++)
		TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, 0);
	pr_emerg("panic_log: %d events in %llu us\n", EVENTS,
		 (ktime_get_mono_fast_ns() - begin) / NSEC_PER_USEC);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = log_on };

static int log_one(void *unused)
{
	TRACER_LOGEVENT(FTrace_EVT_user_event_1, 0, 0);
	return 0;
}

static int __init panic_log_init(void)
{
	const int n = FTrace_chunk_create(SLOT, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
	struct task_struct *t;
	unsigned int other;
	int err;

	if (n < 0 || FTrace_actual_chunk_select(n) || FTrace_enable())
		return -ENOMEM;
	err = register_kprobe(&stop);
	if (err)
		return err;
	t = kthread_create(log_one, NULL, "panic_log");
	if (IS_ERR(t))
		return PTR_ERR(t);
	other = cpumask_any_but(cpu_online_mask, get_cpu());
	kthread_bind(t, other);
	wake_up_process(t);
	while (!READ_ONCE(has_stopped))
		cpu_relax();
	atomic_notifier_chain_register(&panic_notifier_list, &notifier);
	panic("as it was asked for");
}

module_init(panic_log_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Panics, and logs meanwhile");
