// SPDX-License-Identifier: GPL-2.0
/*
 * kbench.c - executes one kind of event often, and says how many ticks that took
 *
 *   echo NAME >/sys/module/kbench/parameters/run
 *   cat /sys/module/kbench/parameters/ticks
 *
 * With interrupts off, so that nothing else is counted; on a machine where a tick of the
 * cycle counter is an instruction (tests/vm/vm run -i) these are instructions. What the
 * loop itself takes is that of "loop".
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktrace_shark.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ring_buffer.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/version.h>
#define CREATE_TRACE_POINTS
#include "kbench_trace.h"

enum { EVENTS = 1000, TYPE = 9, PAR1 = 7, BUFFER_SIZE = 1 << 20 };

struct entry {
	u16 type;
	u16 par1;
	u32 par2;
};

static ulong ticks;
module_param(ticks, ulong, 0444);
MODULE_PARM_DESC(ticks, "of the last run, for 1000 events");

static struct trace_buffer *buffer;

#define REPEAT(statement)                       \
	do {                                    \
		u32 i;                          \
						\
		for (i = 0; i < EVENTS; i++) {  \
			statement;              \
			barrier();              \
		}                               \
	} while (0)

static void run_loop(void)
{
	REPEAT(OPTIMIZER_HIDE_VAR(i));
}

static void run_logevent(void)
{
	REPEAT(TRACER_LOGEVENT(TYPE, PAR1, i));
}

static void count(void (*run)(void))
{
	unsigned long flags;
	u64 begin;

	local_irq_save(flags);
	begin = get_cycles();
	run();
	ticks = get_cycles() - begin;
	local_irq_restore(flags);
}

/* Runs @run with a S.Ha.R.K. chunk in use, which stays: there is one tracer. */
static void with_chunk(void (*run)(void), int filter)
{
	static int chunk = -1;

	if (chunk < 0) {
		chunk = FTrace_chunk_create(BUFFER_SIZE, 0,
					    FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
		FTrace_actual_chunk_select(chunk);
	}
	FTrace_enable();
	FTrace_set_filter(FTrace_filter_user, filter);
	count(run);
	FTrace_disable();
}

static void run_trace_event(void)
{
	REPEAT(trace_kbench_event(TYPE, PAR1, i));
}

static void run_trace_printk(void)
{
	REPEAT(trace_printk("%u %u %u\n", TYPE, PAR1, i));
}

static void store(u32 i)
{
	struct ring_buffer_event *event;

	event = ring_buffer_lock_reserve(buffer, sizeof(struct entry));
	if (!event)
		return;
	*(struct entry *)ring_buffer_event_data(event) = (struct entry){ TYPE, PAR1, i };
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	ring_buffer_unlock_commit(buffer);
#else
	ring_buffer_unlock_commit(buffer, event);
#endif
}

static void run_ring_buffer(void)
{
	REPEAT(store(i));
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "loop", run_loop },
	{ "logevent", run_logevent },
	{ "trace_event", run_trace_event },
	{ "trace_printk", run_trace_printk },
	{ "ring_buffer", run_ring_buffer },
};

static int set_run(const char *name, const struct kernel_param *kp)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (sysfs_streq(name, kinds[i].name)) {
			count(kinds[i].run);
			return 0;
		}
	if (sysfs_streq(name, "chunk"))
		with_chunk(run_logevent, 0);
	else if (sysfs_streq(name, "chunk_filtered"))
		with_chunk(run_logevent, 1);
	else
		return -EINVAL;
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = set_run };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "what to execute: see kinds, and chunk, chunk_filtered");

static int __init kbench_init(void)
{
	buffer = ring_buffer_alloc(BUFFER_SIZE, RB_FL_OVERWRITE);
	return buffer ? 0 : -ENOMEM;
}

static void __exit kbench_exit(void)
{
	ring_buffer_free(buffer);
}

module_init(kbench_init);
module_exit(kbench_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Counts what events cost");
